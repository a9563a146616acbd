"""The Django application of the page."""

from django.apps import AppConfig


class PageConfig(AppConfig):
    """Configuration of the application."""

    name = "venue.page"
    label = "page"
