"""The web application as servers load it."""

import os

from django.core.wsgi import get_wsgi_application

from leaderboard.operations.embedded.child import follow_parent_to_its_death
from leaderboard.operations.programs import SUPERVISED

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")

if SUPERVISED in os.environ:
    follow_parent_to_its_death()

application = get_wsgi_application()
