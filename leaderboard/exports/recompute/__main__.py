from __future__ import annotations

import sys

from .running import run

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m leaderboard.exports.recompute DIR-or-URL")
    sys.exit(run(sys.argv[1], print))
