"""The one Django application of the page."""

from django.apps import AppConfig


class PageConfig(AppConfig):
    """Names the application."""

    name = "venue.page"
    label = "page"
