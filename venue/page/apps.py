"""The Django application of the page."""

from django.apps import AppConfig
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created


class PageConfig(AppConfig):
    """Configuration of the application."""

    name = "venue.page"
    label = "page"

    def ready(self) -> None:
        """Have every new connection to the database look whether its server was promoted or set back."""
        connection_created.connect(_notice_move, dispatch_uid="notice_move")


def _notice_move(connection: BaseDatabaseWrapper, **_signal: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT venue.notice_move()")
