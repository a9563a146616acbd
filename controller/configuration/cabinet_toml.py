"""`cabinet.toml`: the configuration of a cabinet, read once at the start.

The tables of pins and ports are in `drivers.wiring`, the others here. `controller/configuration/checks.py` has the
rules beyond the types. The docstring below a field is the key's line in `docs/configuration.md`.
"""

import tomllib
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, cast

import msgspec
from msgspec.structs import fields

from common.bounds import NOT_EMPTY, between, entries
from controller import feature
from controller.configuration.checks import gamble_cap_cents, problems_in
from controller.configuration.fields import Problem, bounds_of, type_at, type_info
from controller.configuration.named_files import USUAL_ART
from controller.configuration.separators import DATES, DateFormat, separators
from controller.configuration.tenders import USUAL_NOTES
from controller.configuration.tower import Tower
from controller.files.bounded import MOST_TEXT_BYTES, ForeignFileError, read_bounded
from controller.journal.actor import Role
from drivers.wiring import BY_LANGUAGE, Money, Wiring
from gamekit.catalogue import known, look_in, names
from ui.protocol import values

SIMULATED = "simulated"

LONGEST_NAME = 24
"""The most characters of the cabinet's name, number and location."""
ONE_LINE = msgspec.Meta(max_length=LONGEST_NAME)

Table = TypeVar("Table", bound=msgspec.Struct)


class Site(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[cabinet]`: who and where this cabinet is."""

    name: Annotated[str, NOT_EMPTY] = "cabinet"
    """The cabinet's name."""
    number: Annotated[str, ONE_LINE] = ""
    """The operator's own number of the cabinet."""
    location: Annotated[str, ONE_LINE] = ""
    """The place where the cabinet stands."""
    run_dir: Annotated[str, NOT_EMPTY] = "/run/cabinet"
    """The folder of the sockets. Its path has at most 94 bytes."""
    journal: Annotated[str, NOT_EMPTY] = "/var/lib/cabinet/journal.sqlite"
    """The SQLite file of the books."""
    second_copy: str = ""
    """A file on another medium for balance, meters and chain head; `cabinet rebuild` reads it. `""` for none."""
    copy_locks: bool = False
    """Whether a start without the second copy locks the cabinet."""
    language: Literal["en", "de"] = "en"
    """The player's language."""
    dates: Literal["language"] | DateFormat = BY_LANGUAGE
    """The format of days on screens and paper. Files for programs keep ISO 8601."""
    crash_locks: bool = False
    """Whether play waits for the attendant's key after a crash of the program."""
    console: Literal["owner", "group", "nobody"] = "owner"
    """Who may use `cabinet service`: the `"owner"` of the process and root, the socket's `"group"` too, or `"nobody"`.
    """
    key: str = ""
    """The file of the cabinet's key pair; `""` for `<journal>.key`."""
    money: Money = Money()
    """The currency, and the format of amounts."""

    @property
    def console_socket(self) -> Path:
        """The socket on which the supervisor listens for a technician's console (`cabinet service`).

        `console` says who may connect: the `owner` of the process (and root), also the `group` of the socket, or
        `nobody`.
        """
        return Path(self.run_dir, "console.sock")

    @property
    def written_dates(self) -> str:
        """The format of days on screens and paper: `dd/mm/yy`."""
        return DATES.get(self.language, values.USUAL_DATES) if self.dates == BY_LANGUAGE else self.dates

    @property
    def written_money(self) -> values.Money:
        """The format of amounts on the display."""
        money, tender = self.money, self.money.tender
        decimal, thousands = separators(self.language, money.decimal, money.thousands)
        usually_first = tender.symbol_first and bool(money.currency)
        return values.Money(
            symbol=money.symbol or tender.symbol,
            decimal=decimal,
            thousands=thousands,
            symbol_first=usually_first if money.symbol_first is None else money.symbol_first,
        )

    @property
    def display_socket(self) -> Path:
        """The socket on which the supervisor listens for its display."""
        return Path(self.run_dir, "display.sock")

    @property
    def second_copy_file(self) -> Path | None:
        """The file of the second copy of the books, or None."""
        return Path(self.second_copy) if self.second_copy else None

    @property
    def key_file(self) -> Path:
        """The file of the cabinet's key pair."""
        return Path(self.key or f"{self.journal}.key")


class Games(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[games]`: the games on offer, and limits of play (docs/fair-play.md).

    `gamekit.play` has what a game offers by itself: `TotalBets` its usual bets, `Game` its highest gamble.
    `controller.session.betting.fits` applies `largest_stake_cents` and `largest_prize_cents`.
    """

    folder: str = ""
    """The folder of [a studio's games](adding-a-game.md), on a cabinet below `/opt/cabinet`; `""` for none."""
    enabled: tuple[str, ...] = msgspec.field(default_factory=names)
    """The games in the lobby, in this order; all games if left out."""
    default: str = msgspec.field(default_factory=lambda: next(iter(names()), ""))
    """The first game under the cursor, one of `enabled`; the first game if left out."""
    coin_values_cents: tuple[Annotated[int, between(1, 10_000, "cents")], ...] = (1, 2, 5, 10, 20, 50, 100)
    """The coin values that the player chooses from."""
    default_coin_value_cents: Annotated[int, between(1, 10_000, "cents")] = 10
    """The coin value after a start."""
    bets_cents: Annotated[dict[str, tuple[int, ...]], entries("game", known)] = {}
    """The total bets on offer, in rising order, by game. A game that is not named offers its usual bets."""
    autospin: bool = True
    """Whether games offer autospin."""
    double_up: bool = True
    """Whether a win may be gambled."""
    gamble_cap_cents: Annotated[dict[str, int], entries("game", known)] = {}
    """The highest amount that may be gambled, by game, at most the game's own; `0` for none."""
    autospin_spins: Annotated[int, between(1, 1_000, "spins")] = 1000
    """The most spins of one autospin."""
    autospin_loss_limit: bool = False
    """Whether autospin needs a loss limit."""
    least_ms: Annotated[int, between(0, 10_000, "ms; 0 for no least time")] = 0
    """The least time from a stake to the next one."""
    turbo: bool = True
    """Whether the player may shorten the shows."""
    stop: bool = True
    """Whether SPIN shortens the show of a round."""
    buy: bool = True
    """Whether features are sold."""
    celebrate_all: bool = True
    """Whether wins up to the stake are celebrated; otherwise they are a plain tone and a figure."""
    largest_stake_cents: Annotated[int, between(0, 100_000_000, "cents; 0 for no limit")] = 0
    """The largest stake, a bought feature included."""
    largest_prize_cents: Annotated[int, between(0, 1_000_000_000, "cents; 0 for no limit")] = 0
    """[The largest win on offer](fair-play.md#largest-stake-and-prize): no bet is offered that can win more."""

    def offering(self, left: tuple[str, ...]) -> "Games":
        """Return these settings with only the given games on offer; the first replaces a missing `default`."""
        default = self.default if self.default in left else next(iter(left), "")
        return self if left == self.enabled else msgspec.structs.replace(self, enabled=left, default=default)

    def is_plain(self, win_cents: int, stake_cents: int) -> bool:
        """Whether a win is shown as a plain tone and a figure: one at or below its stake, where the house wants it."""
        return not self.celebrate_all and win_cents <= stake_cents


class PlayerCare(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[player]`: what players are told of their play, and their own limits (docs/fair-play.md)."""

    clock: bool = False
    """Whether every screen shows the time of day."""
    panel: bool = False
    """Whether the menu has a page with time, money in, money out and net of the session."""
    reality_check_minutes: Annotated[int, between(0, 240, "minutes; 0 for no reality check")] = 0
    """The time of play after which the player must answer that page."""
    rest_minutes: Annotated[int, between(0, 60, "minutes; 0 for no rest after a reality check")] = 0
    """How long play rests after each reality check."""
    break_minutes: Annotated[int, between(0, 240, "minutes; 0 for no break to start")] = 0
    """The length of a break that the player may start."""
    loss_limit: Literal["none", "asked", "required"] = "none"
    """Whether the player is asked for a loss limit before the session's first stake."""


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[limits]`: the limits of money, in cents."""

    credit_cents: Annotated[int, between(100, 100_000_000, "cents")] = 100_000
    """The credit from which on coins and notes are refused (B5)."""
    notes_credit_cents: Annotated[int, between(0, 100_000_000, "cents; 0 where credit_cents alone decides")] = 0
    """The credit from which on notes are refused."""
    notes_cents: tuple[Annotated[int, between(100, 2_000_000, "cents")], ...] = USUAL_NOTES
    """The accepted notes (B6); `[]` for none."""
    hopper_cents: Annotated[int, between(0, 10_000_000, "cents")] = 20_000
    """The most of one cash-out that is paid in coins; the rest is a hand-pay (B8)."""
    large_win_cents: Annotated[int, between(0, 1_000_000_000, "cents; 0 for never")] = 120_000
    """The win of one round that locks the cabinet until an attendant has seen it (B10)."""
    service_credit_cents: Annotated[int, between(0, 10_000_000, "cents; 0 for none")] = 5_000
    """The most service credit at once (A.4)."""
    open_item_cents: Annotated[int, between(0, 10_000_000, "cents; 0 where the technician does it all")] = 2_000
    """The largest proved open item that the attendant may book (A.8)."""
    coins_jump_cents: Annotated[int, between(1_000, 1_000_000_000, "cents")] = 100_000
    """The value of coins between two rounds that is a fault (M8)."""
    notes_jump_cents: Annotated[int, between(1_000, 1_000_000_000, "cents")] = 1_000_000
    """The value of notes between two rounds that is a fault (M8)."""


class Payout(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[payout]`: the rules of hand-pays; `controller.session.betting.residue_cents` says which rest can be played."""

    residue: Literal["credit", "hand_pay"] = "credit"
    """What becomes of a rest below one hopper coin: `"credit"` if it can be played, or a `"hand_pay"`."""
    hopper_away_s: Annotated[int, between(5, 600, "s")] = 30
    """How long a hopper is silent before a key may [give it up](service-menu.md#a-payout-that-does-not-end)."""


class Screen(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[display]`: the monitor, and how it is drawn."""

    baked: Annotated[str, NOT_EMPTY] = USUAL_ART
    """The output folder of `cabinet bake`."""
    shape: Literal["wide", "tall", "portrait"] = "wide"
    """The monitor: `"wide"` (16:9), `"tall"` (1280x1024) or `"portrait"` (1080x1920)."""
    scale: Literal["1x", "1.5x"] = "1x"
    """The size of drawing: wide at 1280x720 (`"1x"`) or 1920x1080 (`"1.5x"`); the other shapes need `"1x"`."""
    brightness_percent: Annotated[int, between(20, 100, "percent; a darker screen could not be read")] = 100
    """The brightness of the picture."""
    compose: Literal["auto", "gpu", "software"] = "auto"
    """What composes frames: a GPU if there is one (`"auto"`), any renderer of SDL (`"gpu"`), or the CPU (`"software"`).
    """


class Sound(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[sound]`: what is heard."""

    percent: Annotated[int, between(0, 100, "percent")] = 100
    """The loudest volume that the player can choose."""
    attract: bool = True
    """Whether attract shows are heard."""


class Network(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[network]`: the interface that a technician may switch."""

    interface: str = ""
    """The interface that C.6 may switch, such as `"eth0"`; a cabinet needs none."""
    enabled: bool = False
    """Whether that interface is up."""


class Service(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[service]`: access to the service menu."""

    idle_s: Annotated[int, between(30, 900, "s")] = 180
    """The time without a touch after which the service menu closes."""
    pin_attempts: Annotated[int, between(3, 10, "wrong PINs in a row")] = 5
    """The wrong PINs in a row that lock a person out (S1)."""
    barred_minutes: Annotated[int, between(5, 120, "powered-on minutes")] = 10
    """How long a person is locked out."""
    attendant_key_alone: bool = False
    """Whether the attendant's key opens the menu without name and PIN."""
    technician_key_alone: bool = False
    """Whether the technician's key opens the menu without name and PIN."""
    attendant_refills: bool = True
    """Whether the attendant may use U.2 and U.15."""
    attendant_collects: bool = True
    """Whether the attendant may use U.3."""
    attendant_tests_lamps: bool = True
    """Whether the attendant may use T.4 to T.6."""

    def key_alone(self, key: Role) -> bool:
        """Whether that key opens the menu without a name and a PIN."""
        return self.technician_key_alone if key is Role.TECHNICIAN else self.attendant_key_alone


class Timing(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[timing]`: how long the supervisor waits, in milliseconds."""

    show_limit_ms: Annotated[int, between(1_000, 600_000, "ms")] = 30_000
    """The longest wait for the display's report that a show has ended; then play goes on."""
    attract_after_ms: Annotated[int, between(1_000, 3_600_000, "ms")] = 60_000
    """The time without credit and presses before the attract show."""
    display_deaf_ms: Annotated[int, between(1_000, 60_000, "ms")] = 5_000
    """The time after which a display that neither reads nor answers is ended."""
    undisplayed_show_ms: Annotated[int, between(20, 60_000, "ms")] = 2_500
    """The length of a show without a display; 2500 is the usual shortest time of a play (G6)."""


class Export(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[export]`: where USB sticks are."""

    roots: tuple[str, ...] = ("/media", "/run/media")
    """The folders below which USB sticks are mounted, each in its own folder."""


class Storage(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[storage]`: the free space that the journal's disk must have, its speed, and when the past is archived."""

    low_mb: Annotated[int, between(50, 1_000_000, "MB")] = 200
    """The free space beside the journal below which there is a warning."""
    reserve_mb: Annotated[int, between(20, 10_000, "MB; open rounds and payouts end within it")] = 50
    """The free space below which nothing new begins (C6); not above `low_mb`."""
    slow_ms: Annotated[int, between(20, 10_000, "ms")] = 500
    """The time of a slow commit; there is a warning if half of the newest commits are slow."""
    journal_mb: Annotated[int, between(16, 1_000, "MB; what stays in the journal takes some of it")] = 64
    """The size of the journal at which its past moves to [an archive](operate.md#the-journal-and-its-archives)."""
    archive: str = ""
    """The folder of the archives; `""` for `archive` beside the journal."""

    @property
    def archive_folder(self) -> Path | None:
        """The folder of the archives, None for the journal's own."""
        return Path(self.archive) if self.archive else None


class Config(Wiring, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A `cabinet.toml`; every table but `[pins]` may be omitted.

    A device whose table is missing (`coin_acceptor`, `bill_validator`, `hopper`) is not fitted. The tables of features
    are added by `whole_file`, and read by `table`.
    """

    cabinet: Site = Site()
    games: Games = Games()
    player: PlayerCare = PlayerCare()
    limits: Limits = Limits()
    payout: Payout = Payout()
    display: Screen = Screen()
    timing: Timing = Timing()
    tower: Tower = Tower()
    export: Export = Export()
    storage: Storage = Storage()
    sound: Sound = Sound()
    network: Network = Network()
    service: Service = Service()

    @property
    def simulated(self) -> bool:
        """Whether the pins are a demo's: such a configuration never runs in production."""
        return self.pins.factory == SIMULATED

    def table(self, name: str, kind: type[Table]) -> Table | None:
        """Return the table `name` of a feature; None if it has required keys and the file leaves it out."""
        found = getattr(self, name, None)
        return found if isinstance(found, kind) else None


@cache
def whole_file() -> type[Config]:
    """Return the type of a `cabinet.toml` with the tables of all features."""
    tables = [
        (name, kind | None, None) if any(field.required for field in fields(kind)) else (name, kind, kind())
        for name, kind in feature.tables().items()
    ]
    kind = msgspec.defstruct(
        Config.__name__, tables, bases=(Config,), frozen=True, forbid_unknown_fields=True, kw_only=True
    )
    return cast("type[Config]", kind)


def bounds(key: str) -> tuple[int, int]:
    """Return the lowest and the highest value of the number at `key`."""
    if key.startswith("games.gamble_cap_cents."):
        return 0, gamble_cap_cents(key)
    limits = bounds_of(type_at(type_info(whole_file()), key))
    if limits is None:
        raise KeyError(f"{key} is no number with bounds")
    return limits[:2]


def most_hopper_coins(config: Config) -> int:
    """Return the most coins that the hopper pays of one cash-out; 0 if none is fitted."""
    hopper = config.hopper
    return 0 if hopper is None else min(hopper.max_coins, config.limits.hopper_cents // hopper.coin_value_cents)


class ConfigurationError(ValueError):
    """An invalid configuration; `problems` lists all of them, and each line of the text names the file."""

    def __init__(self, path: Path, problems: tuple[Problem, ...]) -> None:
        self.path = path
        self.problems = problems
        super().__init__(
            "\n".join(f"{path}: {f'{problem.key}: ' if problem.key else ''}{problem.text}" for problem in problems)
        )


def load(path: str | Path) -> Config:
    """Return the checked configuration in file `path`.

    Raise `ConfigurationError` with every problem found: a file that cannot be read, TOML syntax (with its
    line), unknown or missing keys, wrong types, values out of range, pins or ports used twice.
    """
    path = Path(path)
    try:
        text = read_bounded(path, MOST_TEXT_BYTES, follow=True).decode("utf-8-sig")  # Windows editors add a BOM
    except OSError as error:
        mend = _beside(path) if isinstance(error, FileNotFoundError) else ""
        reason = f"cannot be read ({error.strerror}); {mend or 'name an existing file that this user may read'}"
        raise ConfigurationError(path, (Problem("", reason),)) from error
    except ForeignFileError as error:
        reason = f"is no plain file of at most {MOST_TEXT_BYTES} bytes; name the cabinet's configuration"
        raise ConfigurationError(path, (Problem("", reason),)) from error
    except UnicodeDecodeError as error:
        reason = f"is not UTF-8 text (byte {error.start}); save it as UTF-8"
        raise ConfigurationError(path, (Problem("", reason),)) from error
    return parse(text, path)


def _beside(path: Path) -> str:
    """Return a remedy if the file exists under a name to which an editor has added an ending, else ""."""
    other = path.with_name(f"{path.name}.txt")
    return f"{other.name} is there: rename it" if other.exists() else ""


def _look_for_games(tables: dict[str, Any]) -> None:
    """Find the games in `[games] folder`, before the names of games are checked."""
    games = tables.get("games")
    folder = games.get("folder") if isinstance(games, dict) else None
    if isinstance(folder, str) and folder and folder.isprintable():
        look_in(Path(folder))


def parse(text: str, path: str | Path = "cabinet.toml") -> Config:
    """Return the checked configuration in `text`, naming `path` in errors; raises like `load`."""
    path = Path(path)
    try:
        tables = tomllib.loads(text)
    except ValueError as error:  # not only TOMLDecodeError: int() refuses a number of 5,000 digits
        reason = f"is not valid TOML: {error}; mend the syntax there"
        raise ConfigurationError(path, (Problem("", reason),)) from error
    except RecursionError as error:
        raise ConfigurationError(path, (Problem("", "nests its values too deeply; write them flat"),)) from error
    _look_for_games(tables)
    problems = problems_in(tables, whole_file(), path)
    if problems:
        raise ConfigurationError(path, problems)
    return msgspec.convert(tables, whole_file())
