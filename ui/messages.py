"""The only words that supervisor and display exchange.

One JSON message a packet over an AF_UNIX SOCK_SEQPACKET socket, each under `MAX_PACKET` bytes. After
both `Hello`s the supervisor sends a whole `Snapshot`, then numbered `Show`s; a gap or a reconnect
means a new snapshot. Game scenes, steps and stakes travel as `msgspec.Raw` and are decoded by their game.
"""

import msgspec

PROTOCOL = 1
MAX_PACKET = 64 * 1024


class Hello(msgspec.Struct, frozen=True, tag="hello"):
    """The first packet of either side; a different `protocol` ends the display."""

    protocol: int = PROTOCOL


class Notice(msgspec.Struct, frozen=True):
    """A line of plain words on the screen: what happened, where, and who must act."""

    code: str
    text: str
    place: str = ""
    who: str = ""
    stops_play: bool = False


class Money(msgspec.Struct, frozen=True):
    """How the cabinet writes money: `1.234,50 €` is symbol `€`, decimal `,`, thousands `.`, symbol last."""

    symbol: str = "€"
    decimal: str = "."
    thousands: str = ","
    symbol_first: bool = False


class Bet(msgspec.Struct, frozen=True):
    """The bet that SPIN would stake now."""

    lines: int
    coins_per_line: int
    coin_value_cents: int

    @property
    def coins(self) -> int:
        """The whole bet in coins."""
        return self.lines * self.coins_per_line

    @property
    def cents(self) -> int:
        """The whole bet in cents."""
        return self.coins * self.coin_value_cents


class Payout(msgspec.Struct, frozen=True):
    """A cash-out in progress or just ended, in cents; `by` is `hopper` or `attendant`."""

    by: str
    amount_cents: int
    paid_cents: int


class AutospinPanel(msgspec.Struct, frozen=True, kw_only=True):
    """Autospin's settings as they are being chosen; amounts are in cents, 0 for no limit.

    `stop_on_jackpot` is None in a game without a pool. `typing` names the amount that the number pad is open for
    (`loss_limit`, `single_win`), `typed_cents` what has been typed on it.
    """

    spins: int
    loss_limit_cents: int
    single_win_cents: int
    stop_on_jackpot: bool | None
    stop_on_feature: bool
    typing: str = ""
    typed_cents: int = 0


class View(msgspec.Struct, frozen=True, kw_only=True):
    """All that is needed to draw the present state.

    `state` is a machine state (`controller/states.py`); `controls` the buttons and touch controls that
    live now (a control that is not named here must look dead); `focus` the control that the panel's buttons
    have moved the cursor to (`chest:3`), if any; `scene` the game's picture before the beats of the newest
    `Show`; `offer` the step the play waits on, if it does. While autospin runs `autospin_of` is how many spins the
    player chose (else 0) and `autospin_left` how many are still to come; `autospin` is its settings in their state.
    """

    state: str
    controls: tuple[str, ...] = ()
    focus: str = ""
    credit_cents: int = 0
    win_cents: int = 0
    bet: Bet | None = None
    game: str = ""
    scene: msgspec.Raw = msgspec.Raw(b"null")
    offer: msgspec.Raw = msgspec.Raw(b"null")
    message: str = ""
    notices: tuple[Notice, ...] = ()
    payout: Payout | None = None
    accepts_coins: bool = False
    accepts_notes: bool = False
    money: Money = Money()
    language: str = "en"
    muted: bool = False
    games: tuple[str, ...] = ()
    coin_values_cents: tuple[int, ...] = ()
    resumed: bool = False
    autospin: AutospinPanel | None = None
    autospin_left: int = 0
    autospin_of: int = 0


class Snapshot(msgspec.Struct, frozen=True, tag="snapshot"):
    """The whole present state; `turn` steps when the machine's state changes, and presses name it."""

    turn: int
    view: View


class Show(msgspec.Struct, frozen=True, tag="show"):
    """Animate these steps, starting from the scene of the newest snapshot; answer `Ack(number)` when done.

    `credit_cents` and `win_cents` are the true figures at its end: what rolls up ends exactly there.
    """

    number: int
    turn: int
    steps: tuple[msgspec.Raw, ...]
    credit_cents: int
    win_cents: int
    turbo: bool = False


class Hurry(msgspec.Struct, frozen=True, tag="hurry"):
    """STOP or SKIP: bring show `number` to its end quickly. Changes no result."""

    number: int


class Ack(msgspec.Struct, frozen=True, tag="ack"):
    """Shown up to and with show `number`."""

    number: int


class Press(msgspec.Struct, frozen=True, tag="press"):
    """A touch on a control, and the turn of the snapshot it was drawn from."""

    control: str
    turn: int


class Touch(msgspec.Struct, frozen=True, tag="touch"):
    """A raw touch in canvas units of 1280x720, for the touch test only."""

    x: int
    y: int
    down: bool


class Frames(msgspec.Struct, frozen=True, tag="frames"):
    """Frame statistics of the last second."""

    presented: int
    cpu_ms_median: float
    cpu_ms_max: float


ToDisplay = Hello | Snapshot | Show | Hurry
ToSupervisor = Hello | Ack | Press | Touch | Frames


class OversizeError(ValueError):
    """A message would not fit in one packet."""


def encode(message: ToDisplay | ToSupervisor) -> bytes:
    """Return the packet of `message`; raise `OversizeError` where it exceeds `MAX_PACKET`."""
    packet = msgspec.json.encode(message)
    if len(packet) > MAX_PACKET:
        raise OversizeError(f"{type(message).__name__} takes {len(packet)} bytes, a packet holds {MAX_PACKET}")
    return packet


decode_to_display = msgspec.json.Decoder(ToDisplay).decode
decode_to_supervisor = msgspec.json.Decoder(ToSupervisor).decode
