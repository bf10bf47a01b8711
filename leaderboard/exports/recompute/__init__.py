"""Every published aggregate again, from the published files alone: pandas and numpy, no Django, no database.

`python -m leaderboard.exports.recompute DIR-or-URL` runs it anywhere; `manage.py recompute` is the same.
"""
