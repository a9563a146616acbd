"""`python -m venue.page run_alarms`: the worker that watches, sends and escalates until it is stopped."""

import logging
import socket
import time
from argparse import ArgumentParser

from django.core.management.base import BaseCommand
from django.db import DatabaseError, connection

from venue.page import alarming, delivery
from venue.page.queries import outbox

_log = logging.getLogger(__name__)
PERIOD_S = 5.0
TIDY_S = 6 * 3600.0
SOCKET_S = 20.0


class Command(BaseCommand):
    """Runs the alarms' worker."""

    help = "Watch the venue, send its alarms and escalate those that nobody acknowledges."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take `--once`, for a timer in place of a service."""
        parser.add_argument("--once", action="store_true", help="do one round and end")

    def handle(self, *_args: object, **options: object) -> None:
        """Do a round every five seconds; without the database wait and try again."""
        if options["once"]:
            alarming.once(delivery.send, delivery.LONGEST_S)
            outbox.tidy()
            return
        # Some of Apprise's plugins name no timeout of their own.
        socket.setdefaulttimeout(SOCKET_S)
        deliveries = delivery.Deliveries(delivery.send)
        tidied = -TIDY_S
        while True:
            try:
                alarming.step(deliveries)
                if time.monotonic() - tidied > TIDY_S:
                    outbox.tidy()
                    tidied = time.monotonic()
            except DatabaseError as error:
                _log.warning("alarms: %s; tried again in %.0f s", str(error).strip().splitlines()[0], PERIOD_S)
                connection.close()
            time.sleep(PERIOD_S)
