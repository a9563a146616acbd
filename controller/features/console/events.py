"""The events of the console."""

from controller.journal.event_catalogue import EventKind


class ConsoleEvent(EventKind):
    """What the console logs."""

    CONSOLE_OPENED = "console", "Console opened by {user}"
    CONSOLE_LEFT = "console", "Console left by {user}"
    CONSOLE_REFUSED = "console_refused", "Console refused to {user}: {reason}"
