"""From where somebody acts on the cabinet, for the books: a task that serves a console's press tells all it does."""

from contextvars import ContextVar

CONSOLE = "console"

WHERE: ContextVar[str] = ContextVar("WHERE", default="")
"""Where the act comes from that the running task serves: `CONSOLE`, or nothing for the cabinet's keys and screen."""
