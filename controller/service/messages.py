"""The message at the foot of the service menu's page."""

from collections.abc import Mapping

from controller.journal.errors import RefusedError

WORDS = {
    "code": "Code of the page",
    "nothing": "Nothing was changed",
    "door": "Open the main door first",
    "logic door": "Open the logic door first",
    "no hardware": "There is no hardware that could be tested",
    "works": "One moment, please",
    "again": "It is asked twice: answer once more",
    "unlike": "This round replays otherwise than it was played: it cannot be shown",
}
"""The menu's own messages."""


class Message:
    """The message that is shown, with its figures if it is that of a refusal."""

    def __init__(self) -> None:
        self.text = ""
        self.refusal: RefusedError | None = None
        """The newest refusal."""

    def refuse(self, error: RefusedError) -> None:
        """Show the message of a refusal."""
        self.text, self.refusal = error.template, error

    @property
    def figures(self) -> Mapping[str, str | int]:
        """The figures of the message."""
        return self.refusal.figures if self.refusal is not None and self.refusal.template == self.text else {}
