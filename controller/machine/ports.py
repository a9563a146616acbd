"""The machine's surroundings: screen, front and operator's menu, and the inputs from outside."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

import msgspec

from controller.journal.actor import Actor, Role
from controller.machine.states import State
from drivers.pins.lamps import LampPattern
from drivers.pins.tower_light import LightPattern
from gamekit.play import Scene
from ui.protocol.messages import CarePage, ServicePage, View
from ui.protocol.values import Bet, PastRound


class Screen(Protocol):
    """The display link for the machine; no method waits."""

    @property
    def connected(self) -> bool:
        """Whether a display is connected."""

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
        """Animate these steps; return the number of the show, which the display acknowledges."""

    def hurry(self, number: int) -> None:
        """Finish that show quickly."""


class Front(Protocol):
    """The cabinet's outputs for the machine; no method waits."""

    def lamps(self, patterns: Mapping[str, LampPattern]) -> None:
        """Light the panel's buttons."""

    def tower(self, patterns: Mapping[str, LightPattern]) -> None:
        """Light the tower's tiers; tiers that are not named are dark."""

    def take_money(self, *, coins: bool, notes_cents: frozenset[int]) -> None:
        """Accept coins and these notes, and reject everything else."""


class AttendantCall(NamedTuple):
    """What a turn of the key answers: a payout that waits, or the lock-ups `seen` when the key was turned.

    The PIN entry shows `template` with its `figures`. A payout waits in a `state`.
    """

    template: str
    figures: Mapping[str, str | int] = {}
    state: State | None = None
    seen: frozenset[tuple[str, str]] = frozenset()


class Menu(Protocol):
    """A menu over the game: the operator's, or the one of a locked cabinet."""

    @property
    def is_open(self) -> bool:
        """Whether it covers the game."""

    @property
    def page(self) -> ServicePage | None:
        """The page to show, or None while the menu is closed."""

    @property
    def controls(self) -> frozenset[str]:
        """The live controls of the page."""

    def press(self, control: str, origin: str = "") -> asyncio.Event:
        """Process a press of a live control; the event is set once the press has been handled."""


class LockedMenu(Menu, Protocol):
    """The menu of a locked cabinet."""

    def key(self, who: Role, *, turned: bool) -> None:
        """Process a key switch: on opens the menu, off closes it."""


class OperatorMenu(Menu, Protocol):
    """The service menu for the machine."""

    @property
    def testing(self) -> bool:
        """Whether a test is open, in which keys are inputs."""

    @property
    def asks_who(self) -> bool:
        """Whether a key is turned and its owner is not identified yet."""

    @property
    def opened_by(self) -> Role | None:
        """The role whose key has opened it, or None while it is closed."""

    def covered(self, view: View) -> View:
        """Return what the screen shows while the menu is open: `view` with its page, or a game's screen."""

    def key(self, who: Role, *, turned: bool, call: AttendantCall | None = None) -> None:
        """Process a key switch; a `call` that waits is answered instead of opening the menu."""

    def shown(self, number: int) -> None:
        """Process the display's acknowledgement that the shows up to `number` are over."""

    def look(self) -> None:
        """Refresh the page, because a door, a device or the lock has changed."""


class SessionPages(Protocol):
    """The pages of the player's session, which a feature may have (`Feature.session_pages`)."""

    places: Mapping[State, Callable[[str], Awaitable[None]]]
    """What handles a press in the state of each page."""

    @property
    def offered(self) -> bool:
        """Whether the player may open the session's page."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The touch controls of the open page, in order; empty outside these states."""

    @property
    def dead(self) -> frozenset[str]:
        """The controls of the open page that do nothing now."""

    @property
    def page(self) -> CarePage | None:
        """The open page, None outside these states."""

    async def open(self) -> None:
        """Show the session's cost."""

    async def look(self) -> None:
        """Show between games what must come before the next stake."""


class Input(NamedTuple):
    """An input for the flows: `press` of a control, `ack` of a show, `key` turned, or `wake` to check again.

    `by` is the person who turned the key, if known.
    """

    kind: str
    what: str = ""
    number: int = 0
    turn: int = 0
    by: Actor | None = None


class Replaying(NamedTuple):
    """A past round in replay: its bet and companion, the scene before the present show, and the win until then."""

    past: PastRound
    bet: Bet
    companion: int | None
    scene: Scene
    win_cents: int
