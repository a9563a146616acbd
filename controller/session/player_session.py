"""The player's session: its cost, and what holds the player back. A feature may keep it (`Feature.sessions`).

This module is a cabinet without such a feature: it keeps no session, and holds nobody back.
"""

from functools import cache

from controller import feature
from controller.configuration.cabinet_toml import PlayerCare
from controller.journal.transaction import Transaction
from ui.protocol.values import SessionFigures

LIMIT_REACHED = "limit_reached"
"""The refusal of a stake that the screen names; others have a page of their own."""


class PlayerSession:
    """The session at one moment of the journal."""

    @property
    def active(self) -> bool:
        """Whether a session is running."""
        return False

    @property
    def minutes(self) -> int:
        """The session's length in powered-on minutes; 0 without a session."""
        return 0

    @property
    def figures(self) -> SessionFigures:
        """The session's amounts."""
        return SessionFigures()

    @property
    def break_left(self) -> int:
        """The remaining minutes of a break from play, in which no money is accepted; 0 without one."""
        return 0

    def page_due(self, rules: PlayerCare) -> bool:  # noqa: ARG002 - what a house asks for is the feature's
        """Whether time has made a page due that comes before the next stake."""
        return False

    def may_refuse(self, rules: PlayerCare) -> bool:  # noqa: ARG002 - as above
        """Whether stakes must be checked with `refusal`."""
        return False

    def refusal(self, rules: PlayerCare, stake_cents: int) -> str:  # noqa: ARG002 - as above
        """Return why this stake may not be placed, or an empty string."""
        return ""


class SessionKeeper:
    """Keeps the player's session in the journal."""

    def at_start(self, tx: Transaction) -> None:
        """Prepare the journal; called at each start."""

    def begin(self, tx: Transaction) -> None:
        """Begin a session when a player comes."""

    def end(self, tx: Transaction) -> None:
        """End the session when the player leaves."""

    def read(self, tx: Transaction) -> PlayerSession:  # noqa: ARG002 - as above
        """Return the current session."""
        return PlayerSession()


@cache
def keeper() -> SessionKeeper:
    """Return the keeper of this program's sessions."""
    return next((keeps() for keeps in feature.imported(lambda one: one.sessions)), SessionKeeper())
