"""What surrounds the machine: the screen and the front that it shows itself on, and what reaches it from outside."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import msgspec

from controller.journal.actor import Actor
from drivers.lamps import LampPattern
from drivers.tower_light import LightPattern
from games.play import Scene
from ui.messages import Bet, PastRound, View


class Screen(Protocol):
    """The display link as the machine uses it; nothing here ever waits."""

    @property
    def connected(self) -> bool:
        """Whether somebody draws."""

    def publish(self, view: View, *, turn: int) -> None:
        """Show this view."""

    def show(self, steps: Sequence[msgspec.Raw], *, credit_cents: int, win_cents: int, turbo: bool = False) -> int:
        """Animate these steps; return the number that will be acknowledged."""

    def hurry(self, number: int) -> None:
        """Bring that show to its end."""


class Front(Protocol):
    """The cabinet's outputs as the machine uses them; nothing here ever waits."""

    def lamps(self, patterns: Mapping[str, LampPattern]) -> None:
        """Light the panel's buttons."""

    def tower(self, patterns: Mapping[str, LightPattern]) -> None:
        """Light the tower's tiers; those that are not named are dark."""

    def take_money(self, *, coins: bool, notes_cents: frozenset[int]) -> None:
        """Take coins and these notes, and return everything else."""


class Input(NamedTuple):
    """Something the flows wait for: `press` of a control, `ack` of a show, `key` turned, `wake` to look again.

    `by` is who turned the key, if that is known.
    """

    kind: str
    what: str = ""
    number: int = 0
    turn: int = 0
    by: Actor | None = None


class Replaying(NamedTuple):
    """A past round in replay: which, its bet and companion, the scene before the present show, its win until there."""

    past: PastRound
    bet: Bet
    companion: int | None
    scene: Scene
    win_cents: int
