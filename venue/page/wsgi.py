"""The page as a WSGI application, for gunicorn."""

import os

from django.core.wsgi import get_wsgi_application

os.environ["DJANGO_SETTINGS_MODULE"] = "venue.page.settings"
application = get_wsgi_application()
