"""All messages between supervisor and display.

One JSON message per packet over an AF_UNIX SOCK_SEQPACKET socket, each under `MAX_PACKET` bytes. After both `Hello`s
the supervisor sends a complete `Snapshot`, then numbered `Show`s; a gap or a reconnect requires a new snapshot. Game
scenes, steps and stakes are sent as `msgspec.Raw` and decoded by their game. For any packet, `decode_to_display` and
`decode_to_supervisor` raise only `UnreadableError`.
"""

from collections.abc import Callable
from typing import Annotated, TypeVar

import msgspec

from common.decoding import decoder
from ui.protocol.values import Bet, SessionFigures
from ui.protocol.view_parts import Balance, LobbyGames, Locale, OutputSettings, PastRounds, ShownRound, Status, Terms

T = TypeVar("T")

PROTOCOL = 3
MAX_PACKET = 64 * 1024

Number = Annotated[int, msgspec.Meta(ge=0, le=(1 << 53) - 1)]
"""A turn, or the number of a show; JSON integers alone have no bound."""
Coordinate = Annotated[int, msgspec.Meta(ge=-(1 << 15), lt=1 << 15)]
Control = Annotated[str, msgspec.Meta(max_length=64)]
"""The name of a control (`controller.machine.states`, `controller.service.keys`)."""
FramesInASecond = Annotated[int, msgspec.Meta(ge=0, le=10_000)]
Milliseconds = Annotated[float, msgspec.Meta(ge=0, le=3_600_000)]


def raw(value: object) -> msgspec.Raw:
    """Return a scene, step or offer in the form in which it is sent."""
    return msgspec.Raw(msgspec.json.encode(value))


class Hello(msgspec.Struct, frozen=True, tag="hello"):
    """The first packet of either side; a different `protocol` ends the display."""

    protocol: Number = PROTOCOL


class Notice(msgspec.Struct, frozen=True):
    """A line of plain words on the screen: what happened, where, and who must act.

    `text` is the complete English text, for logs and for a display without a translation. `template` is the same before
    its `{place}` was filled in; the display translates it, `place` and `who`. An `alarm` sounds when it arrives, until
    it is over or a key has `silenced` it. A `lasting` notice stays after the next play.
    """

    code: str
    text: str
    place: str = ""
    who: str = ""
    stops_play: bool = False
    template: str = ""
    alarm: bool = False
    lasting: bool = False
    silenced: bool = False


class AutospinPanel(msgspec.Struct, frozen=True, kw_only=True):
    """Autospin's settings while they are being chosen; amounts are in cents, 0 for no limit.

    `stop_on_jackpot` is None for a game without a pool. `typing` names the amount for which the number pad is open
    (`loss_limit`, `single_win`), `typed_cents` the amount typed so far.
    """

    spins: int
    loss_limit_cents: int
    single_win_cents: int
    stop_on_jackpot: bool | None
    stop_on_feature: bool
    typing: str = ""
    typed_cents: int = 0


class CarePage(msgspec.Struct, frozen=True, kw_only=True):
    """The page of a player's session, in the states `session`, `reality_check`, `loss_limit` and `break`.

    `keys` are its touch controls in order. `limit_cents` is the loss limit being chosen, 0 for none; `break_minutes` is
    the length of the break that its key starts, `left_minutes` the remaining time of a break.
    """

    figures: SessionFigures
    keys: tuple[str, ...] = ()
    limit_cents: int = 0
    break_minutes: int = 0
    left_minutes: int = 0


class ServiceRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One row of a service page: `label`, which the display translates, and a `value`, a `count` or an amount.

    A `{place}` in the label is replaced by `place`, also translated. `code` is the page that the row leads to; `leads`
    is true if ENTER has an effect here. `tone` is `plain`, `good`, `bad` or `heading`. `detail` is shown small after
    the label, untranslated. `figures` fill in the label's placeholders by name, as a page's fill in its message.
    `columns` are aligned from row to row: amounts in cents, and words, which are translated; in a `heading` they are
    the columns' titles.
    """

    label: str
    place: str = ""
    code: str = ""
    value: str = ""
    count: int | None = None
    cents: int | None = None
    tone: str = "plain"
    leads: bool = False
    detail: str = ""
    figures: dict[str, str | int] = {}
    columns: tuple[str | int, ...] = ()


PAD_BUTTONS = ("lines", "bet", "spin", "collect")
"""The buttons for typing figures in the service menu: the first press selects three digits, the next one of them."""
PAD = (("1", "2", "3"), ("4", "5", "6"), ("7", "8", "9"), ("0", "", "done", "back"))
"""The result of each button after each first button; an empty place cancels the selection."""


class ServiceSound(msgspec.Struct, frozen=True, kw_only=True):
    """A test sound, played once when its `number` is new: `channel` is `left`, `right` or `both`; volume in percent."""

    number: int
    channel: str
    volume: int


class ServicePage(msgspec.Struct, frozen=True, kw_only=True):
    """One page of the attendant's or technician's menu."""

    code: str
    """The page's code in the menu, as `M.8`."""
    title: str
    who: str
    """The role of the person at the key."""
    person: str = ""
    """The person, or the one whose PIN is requested; empty if the key alone was enough."""
    gate: bool = False
    """Whether the person is still to be identified: the rows are names to choose from, or a PIN is typed."""
    figures: dict[str, str | int] = {}
    """The figures of `message` by name; names that end in `_cents` are amounts, texts are translated."""
    modules: tuple[str, ...] = ()
    """The rows of a QR code that replaces the page's rows, `1` for a dark module."""
    chart: bool = False
    """Whether the rows are drawn as bars; their labels are days (`2026-11-22`) or figures."""
    rows: tuple[ServiceRow, ...] = ()
    focus: int = 0
    """The row of the cursor."""
    entry: str = ""
    """The label of what is typed, empty if nothing is."""
    entry_kind: str = ""
    """`digits`, `cents`, `number` (in `unit`), `text`, `choice`, `code` or `card` (presented, not typed)."""
    unit: str = ""
    options: tuple[str, ...] = ()
    """The letters or choices of an entry."""
    limits: tuple[int, int] | None = None
    """The lowest and the highest figure."""
    typed: str = ""
    """The characters so far, stars for a PIN."""
    digit: int = 0
    """The option under the cursor."""
    group: int = -1
    """The three figures of the pad that the buttons have selected, of which one is chosen next."""
    may_be_done: bool = False
    """Whether DONE follows the last option."""
    question: str = ""
    """The text of the open question; `typed`, `entry_kind` and `unit` are then what was typed for it."""
    yes: bool = False
    """Whether the question's cursor is on YES."""
    message: str = ""
    """The result of the last action."""
    testing: bool = False
    """Whether a test is open."""
    picture: str = ""
    """The test pattern that covers the whole screen."""
    marks: tuple[tuple[int, int], ...] = ()
    """The marks on it, in units of 1280x720."""
    sound: ServiceSound | None = None
    """The newest sound."""


class OpenPages(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is on the pages that the player, the house or an attendant opens over the game."""

    menu: tuple[str, ...] = ()
    """The touch controls that the state `menu` lists, in order."""
    autospin: AutospinPanel | None = None
    """Autospin's settings in the state `autospin`."""
    care: CarePage | None = None
    """The page of the player's session in its states."""
    service: ServicePage | None = None
    """The page of the state `service_menu`, which lies over all others."""


class View(msgspec.Struct, frozen=True, kw_only=True):
    """All that is needed to draw the present state."""

    state: str
    """The machine's state (`controller/machine/states.py`)."""
    controls: tuple[str, ...] = ()
    """The buttons and touch controls that are live now; any other must look dead."""
    focus: str = ""
    """The control that the panel's buttons have moved the cursor to (`choice:3`), if any."""
    message: str = ""
    """The code of the machine's message, or its words."""
    notices: tuple[Notice, ...] = ()
    """Faults and events to be shown."""
    game: str = ""
    """The open game, empty outside a game."""
    bet: Bet | None = None
    """The bet that SPIN would stake."""
    round: ShownRound = ShownRound()
    """The round on the reels: scene, offer, win, autospin's count."""
    terms: Terms = Terms()
    """What the open game sells and pays at this bet."""
    balance: Balance = Balance()
    """The player's money: credit, paid, held."""
    lobby: LobbyGames = LobbyGames()
    """The games to choose from, with their bets and pools."""
    past: PastRounds = PastRounds()
    """Rounds that are over."""
    pages: OpenPages = OpenPages()
    """The content of the pages over the game."""
    status: Status = Status()
    """What every screen shows: demo mode, clock, session."""
    locale: Locale = Locale()
    """Language and formats."""
    output: OutputSettings = OutputSettings()
    """Sound, brightness, turbo and touch calibration."""

    @property
    def reels_bet(self) -> Bet | None:
        """The bet that converts coins on the reels into money: the bet they were played with, else the chosen one."""
        return self.round.played_bet or self.bet


class Snapshot(msgspec.Struct, frozen=True, tag="snapshot"):
    """The complete current state; `turn` increases when the machine's state changes, and presses refer to it."""

    turn: int
    view: View


class Show(msgspec.Struct, frozen=True, tag="show"):
    """Animate these steps, starting from the scene of the newest snapshot; answer `Ack(number)` when done.

    `credit_cents` and `win_cents` are the true figures at its end: what rolls up ends exactly there. A `plain` one
    celebrates nothing: what it pays is a plain tone and a figure.
    """

    number: int
    turn: int
    steps: tuple[msgspec.Raw, ...]
    credit_cents: int
    win_cents: int
    turbo: bool = False
    plain: bool = False


class Hurry(msgspec.Struct, frozen=True, tag="hurry"):
    """STOP or SKIP: bring show `number` to its end quickly. Changes no result."""

    number: int


class Ack(msgspec.Struct, frozen=True, tag="ack"):
    """Everything up to show `number` has been shown."""

    number: Number


class Press(msgspec.Struct, frozen=True, tag="press"):
    """A touch on a control, with the turn of the snapshot from which it was drawn."""

    control: Control
    turn: Number


class Touch(msgspec.Struct, frozen=True, tag="touch"):
    """A touch in units of 1280x720 for any shape of monitor, only for the touch test; raw during calibration."""

    x: Coordinate
    y: Coordinate
    down: bool


class Frames(msgspec.Struct, frozen=True, tag="frames"):
    """Frame statistics of the last second, and whether a sound device is open (None if unknown)."""

    presented: FramesInASecond
    cpu_ms_median: Milliseconds
    cpu_ms_max: Milliseconds
    sound: bool | None = None


class Unfit(msgspec.Struct, frozen=True, tag="unfit"):
    """A game that this display cannot show, with the reason; it must not be offered."""

    game: Control
    reason: Annotated[str, msgspec.Meta(max_length=400)]


ToDisplay = Hello | Snapshot | Show | Hurry
ToSupervisor = Hello | Ack | Press | Touch | Frames | Unfit


class OversizeError(ValueError):
    """A message does not fit into one packet."""


def encode(message: ToDisplay | ToSupervisor) -> bytes:
    """Return the packet of `message`; raise `OversizeError` if it exceeds `MAX_PACKET`."""
    packet = msgspec.json.encode(message)
    if len(packet) > MAX_PACKET:
        raise OversizeError(f"{type(message).__name__} takes {len(packet)} bytes, a packet holds {MAX_PACKET}")
    return packet


decode_to_display: Callable[[bytes], ToDisplay] = decoder(ToDisplay)
decode_to_supervisor: Callable[[bytes], ToSupervisor] = decoder(ToSupervisor)
