"""What surrounds the machine: screen, front and the operator's menu, and what reaches it from outside."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import msgspec

from controller.journal.actor import Actor, Role
from controller.machine.states import State
from drivers.pins.lamps import LampPattern
from drivers.pins.tower_light import LightPattern
from gamekit.play import Scene
from ui.protocol.messages import ServicePage, View
from ui.protocol.values import Bet, PastRound


class Screen(Protocol):
    """The display link as the machine uses it; nothing here ever waits."""

    @property
    def connected(self) -> bool:
        """Whether somebody draws."""

    def publish(self, view: View, *, turn: int) -> None:
        """Show this view."""

    def show(
        self,
        steps: Sequence[msgspec.Raw],
        *,
        credit_cents: int,
        win_cents: int,
        turbo: bool = False,
        plain: bool = False,
    ) -> int:
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


class AttendantCall(NamedTuple):
    """What a turn is the answer to: a payout that waits, or the lock-ups that were `seen` as the key was turned.

    `template` with its `figures` is what the PIN entry shows. A payout waits in a `state`.
    """

    template: str
    figures: Mapping[str, str | int] = {}
    state: State | None = None
    seen: frozenset[tuple[str, str]] = frozenset()


class Menu(Protocol):
    """A menu over the game: the operator's, or the one of a locked cabinet."""

    @property
    def is_open(self) -> bool:
        """Whether it lies over the game."""

    @property
    def page(self) -> ServicePage | None:
        """The page to be shown, None while the menu is closed."""

    @property
    def controls(self) -> frozenset[str]:
        """The live controls of the page."""

    def press(self, control: str, origin: str = "") -> asyncio.Event:
        """Take a press of a live control; the event is set once it has been dealt with."""


class LockedMenu(Menu, Protocol):
    """The menu of a locked cabinet."""

    def key(self, who: Role, *, turned: bool) -> None:
        """Take a key switch: turned on it opens the menu, off it closes it."""


class OperatorMenu(Menu, Protocol):
    """The service menu as the machine uses it."""

    @property
    def testing(self) -> bool:
        """Whether a test is open, to which keys are inputs."""

    @property
    def asks_who(self) -> bool:
        """Whether a key is turned and its owner is not identified yet."""

    @property
    def opened_by(self) -> Role | None:
        """Whose key has opened it, None while it is closed."""

    def covered(self, view: View) -> View:
        """Return what the screen shows while the menu is open: `view` with its page, or a game's screen over it."""

    def key(self, who: Role, *, turned: bool, call: AttendantCall | None = None) -> None:
        """Take a key switch; a `call` that waits is answered in place of the menu."""

    def shown(self, number: int) -> None:
        """Take the display's acknowledgement that shows up to `number` are over."""

    def look(self) -> None:
        """Read the page again: a door, a device or the lock has changed."""


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
