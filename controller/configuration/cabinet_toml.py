"""`cabinet.toml`: the configuration of a cabinet, read once at the start.

The tables of pins and ports are in `drivers.wiring`, the others here. `controller/configuration/checks.py` has the
rules beyond the types; `docs/configuration.md` explains every key.
"""

import tomllib
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, cast

import msgspec
from msgspec.structs import fields

from common.bounds import NOT_EMPTY, between
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
from gamekit.catalogue import look_in, names
from ui.protocol import values

SIMULATED = "simulated"

LONGEST_NAME = 24
"""The most characters of the cabinet's name, number and location."""
ONE_LINE = msgspec.Meta(max_length=LONGEST_NAME)

Table = TypeVar("Table", bound=msgspec.Struct)


class Site(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[cabinet]`: who and where this cabinet is.

    `name`, `number` and `location` are the operator's names for the cabinet. `run_dir` holds the sockets (keep it
    short: a socket's path has at most 107 bytes). `journal` is the SQLite file of the books. `second_copy` is a file on
    another medium to which balance, meters and chain head are copied, none if it is empty (C2); with `copy_locks` the
    cabinet locks if it starts without that copy. `dates` is the format of days on screens and paper; `money` is the
    currency and the format of amounts on the screen. With `crash_locks` a program that failed and was restarted waits
    for the attendant's key (D6). `key` is the file of the cabinet's key pair, `<journal>.key` if it is empty (C12).
    """

    name: Annotated[str, NOT_EMPTY] = "cabinet"
    number: Annotated[str, ONE_LINE] = ""
    location: Annotated[str, ONE_LINE] = ""
    run_dir: Annotated[str, NOT_EMPTY] = "/run/cabinet"
    journal: Annotated[str, NOT_EMPTY] = "/var/lib/cabinet/journal.sqlite"
    second_copy: str = ""
    copy_locks: bool = False
    language: Literal["en", "de"] = "en"
    dates: Literal["language"] | DateFormat = BY_LANGUAGE
    crash_locks: bool = False
    console: Literal["owner", "group", "nobody"] = "owner"
    key: str = ""
    money: Money = Money()

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
    """`[games]`: the games on offer; the player chooses among `coin_values_cents`.

    `folder` holds a studio's games, in addition to this program's own (docs/adding-a-game.md); empty for none.
    `bets_cents` are the bets on offer, in rising order, for games that are bet by their total; a game not named there
    offers its usual bets (`gamekit.play.TotalBets`). `autospin` allows autospin, `double_up` allows gambling wins.
    `gamble_cap_cents` is the highest amount that may be gambled, by game; a game not named there has its own cap
    (`gamekit.play.Game`), which can be lowered but not raised.

    The other keys limit play (docs/fair-play.md). `autospin_spins` is the most spins of one autospin; with
    `autospin_loss_limit` an autospin needs a loss limit to start. A round lasts at least `least_ms` from its stake to
    the next one. Without `turbo` nothing is shown faster, without `stop` SPIN does not shorten a round, without `buy`
    no feature is sold. Without `celebrate_all` a win at or below the stake is shown with a plain tone and a figure. No
    stake exceeds `largest_stake_cents`, and no bet is offered that may win more than `largest_prize_cents`
    (`controller.session.betting.fits`); 0 for no limit.
    """

    folder: str = ""
    enabled: tuple[str, ...] = msgspec.field(default_factory=names)
    default: str = msgspec.field(default_factory=lambda: next(iter(names()), ""))
    coin_values_cents: tuple[Annotated[int, between(1, 10_000, "cents")], ...] = (1, 2, 5, 10, 20, 50, 100)
    default_coin_value_cents: Annotated[int, between(1, 10_000, "cents")] = 10
    bets_cents: dict[str, tuple[int, ...]] = {}
    autospin: bool = True
    double_up: bool = True
    gamble_cap_cents: dict[str, int] = {}
    autospin_spins: Annotated[int, between(1, 1_000, "spins")] = 1000
    autospin_loss_limit: bool = False
    least_ms: Annotated[int, between(0, 10_000, "ms from a stake to the next; 0 for no least time")] = 0
    turbo: bool = True
    stop: bool = True
    buy: bool = True
    celebrate_all: bool = True
    largest_stake_cents: Annotated[int, between(0, 100_000_000, "cents; 0 for no limit")] = 0
    largest_prize_cents: Annotated[int, between(0, 1_000_000_000, "cents; 0 for no limit")] = 0

    def offering(self, left: tuple[str, ...]) -> "Games":
        """Return these settings with only the given games on offer; the first replaces a missing `default`."""
        default = self.default if self.default in left else next(iter(left), "")
        return self if left == self.enabled else msgspec.structs.replace(self, enabled=left, default=default)

    def is_plain(self, win_cents: int, stake_cents: int) -> bool:
        """Whether a win is shown as a plain tone and a figure: one at or below its stake, where the house wants it."""
        return not self.celebrate_all and win_cents <= stake_cents


class PlayerCare(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[player]`: the information that players get about their play, and their own limits (docs/fair-play.md).

    `clock` shows the time of day on every screen. With `panel` the menu has a page with time, money in, money out and
    net of the session. Every `reality_check_minutes` of a session the player must answer that page before play
    continues, and play then pauses for `rest_minutes`; 0 turns either off. `break_minutes` is the length of the break
    that a player may start, 0 for none. `loss_limit` is `none`, or `asked` or `required` before the first stake of a
    session.
    """

    clock: bool = False
    panel: bool = False
    reality_check_minutes: Annotated[int, between(0, 240, "minutes; 0 for no reality check")] = 0
    rest_minutes: Annotated[int, between(0, 60, "minutes; 0 for no rest after a reality check")] = 0
    break_minutes: Annotated[int, between(0, 240, "minutes; 0 for no break to start")] = 0
    loss_limit: Literal["none", "asked", "required"] = "none"


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[limits]`: the limits of money, in cents.

    Coins and notes are inhibited while the credit is at or above `credit_cents`, notes already at `notes_credit_cents`
    if that is not 0 (requirements.md B5). Only `notes_cents` are accepted (B6). The hopper pays up to `hopper_cents` of
    a cash-out, an attendant the rest (B8).
    One action in the service menu gives up to `service_credit_cents` of credit, 0 for none (A.4).
    The attendant may book an open item of up to `open_item_cents` with a proved amount; all others need the technician
    (A.8).
    A round that wins `large_win_cents` in total locks the cabinet until an attendant has seen it, 0 for never (B10).
    If money in grows by `coins_jump_cents` or `notes_jump_cents` between two rounds, that is a fault (M8).
    """

    credit_cents: Annotated[int, between(100, 100_000_000, "cents")] = 100_000
    notes_credit_cents: Annotated[int, between(0, 100_000_000, "cents; 0 where credit_cents alone decides")] = 0
    notes_cents: tuple[Annotated[int, between(100, 2_000_000, "cents")], ...] = USUAL_NOTES
    hopper_cents: Annotated[int, between(0, 10_000_000, "cents")] = 20_000
    large_win_cents: Annotated[int, between(0, 1_000_000_000, "cents; 0 for never")] = 120_000
    service_credit_cents: Annotated[int, between(0, 10_000_000, "cents; 0 for none")] = 5_000
    open_item_cents: Annotated[int, between(0, 10_000_000, "cents; 0 where the technician does it all")] = 2_000
    coins_jump_cents: Annotated[int, between(1_000, 1_000_000_000, "cents")] = 100_000
    notes_jump_cents: Annotated[int, between(1_000, 1_000_000_000, "cents")] = 1_000_000


class Payout(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[payout]`: the rules of hand pays.

    `residue` decides about an amount below one hopper coin at the end of a cash-out: it stays as `credit` if it can be
    played (`controller.session.betting.residue_cents`), or becomes a `hand_pay`. If a hopper has not answered for
    `hopper_away_s` during a payout, the attendant's key can abandon the payout.
    """

    residue: Literal["credit", "hand_pay"] = "credit"
    hopper_away_s: Annotated[int, between(5, 600, "s")] = 30


class Screen(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[display]`: `baked` is the output folder of `cabinet bake`, `shape` the monitor's, `scale` the drawing size.

    `brightness_percent` dims the picture. At `1x`, `wide` is 1280x720, `tall` 1280x1024 and `portrait` 1080x1920; a
    wide one may also be drawn at `1.5x`. `compose` says what composes its frames: the GPU where there is one (`auto`),
    whatever SDL's renderer draws by (`gpu`), or the CPU in memory (`software`).
    """

    baked: Annotated[str, NOT_EMPTY] = USUAL_ART
    shape: Literal["wide", "tall", "portrait"] = "wide"
    scale: Literal["1x", "1.5x"] = "1x"
    brightness_percent: Annotated[int, between(20, 100, "percent; a darker screen could not be read")] = 100
    compose: Literal["auto", "gpu", "software"] = "auto"


class Sound(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[sound]`: the loudest volume a player can choose, and whether the attract show is heard."""

    percent: Annotated[int, between(0, 100, "percent")] = 100
    attract: bool = True


class Network(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[network]`: the interface that a technician may switch, none by default, and whether it is to be up."""

    interface: str = ""
    enabled: bool = False


class Service(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[service]`: access to the service menu, which closes itself after `idle_s` without a touch.

    `pin_attempts` wrong PINs in a row bar the PIN for `barred_minutes` powered-on minutes (S1). With
    `attendant_key_alone` or `technician_key_alone` that key opens the menu without a name and a PIN.
    `attendant_refills`, `attendant_collects` and `attendant_tests_lamps` also allow the attendant what the technician
    may always do.
    """

    idle_s: Annotated[int, between(30, 900, "s")] = 180
    pin_attempts: Annotated[int, between(3, 10, "wrong PINs in a row")] = 5
    barred_minutes: Annotated[int, between(5, 120, "powered-on minutes")] = 10
    attendant_key_alone: bool = False
    technician_key_alone: bool = False
    attendant_refills: bool = True
    attendant_collects: bool = True
    attendant_tests_lamps: bool = True

    def key_alone(self, key: Role) -> bool:
        """Whether that key opens the menu without a name and a PIN."""
        return self.technician_key_alone if key is Role.TECHNICIAN else self.attendant_key_alone


class Timing(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[timing]`: how long the supervisor waits, in milliseconds.

    If the display does not report the end of a show within `show_limit_ms`, play continues. The attract show starts
    after `attract_after_ms` without credit and presses. A display that neither reads nor answers for `display_deaf_ms`
    is terminated. Without a display a show lasts `undisplayed_show_ms` (2500 is the usual shortest time of a play, G6).
    """

    show_limit_ms: Annotated[int, between(1_000, 600_000, "ms")] = 30_000
    attract_after_ms: Annotated[int, between(1_000, 3_600_000, "ms")] = 60_000
    display_deaf_ms: Annotated[int, between(1_000, 60_000, "ms")] = 5_000
    undisplayed_show_ms: Annotated[int, between(20, 60_000, "ms")] = 2_500


class Export(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[export]`: the folders below which USB sticks are mounted, each stick in its own."""

    roots: tuple[str, ...] = ("/media", "/run/media")


class Storage(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[storage]`: the free space, in megabytes, and the speed that the journal's disk must have.

    Below `low_mb` there is a warning; below `reserve_mb` nothing new starts, so that what is open can finish (C6).
    Commits slower than `slow_ms` also give a warning. From a size of `journal_mb` on, old entries of the journal move
    to an archive in the folder `archive`, by default beside the journal.
    """

    low_mb: Annotated[int, between(50, 1_000_000, "MB")] = 200
    reserve_mb: Annotated[int, between(20, 10_000, "MB; open rounds and payouts end within it")] = 50
    slow_ms: Annotated[int, between(20, 10_000, "ms")] = 500
    journal_mb: Annotated[int, between(16, 1_000, "MB; what stays in the journal takes some of it")] = 64
    archive: str = ""

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
