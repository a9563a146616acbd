"""Every setting of the service menu, page by page: its key in `cabinet.toml`, its label, and its kind of entry.

Labels and words are translated by the screen. The limits of numbers are those of the file's checks.
"""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from controller.configuration.cabinet_toml import LONGEST_NAME, Config, bounds
from controller.configuration.separators import DATE_FORMATS
from controller.configuration.tower import Tower
from controller.session.betting import total_bets
from controller.settings.settings import AT_NEXT_START, MONEY, ONE_STAYS, Value, matches, value_at
from drivers.currency import CURRENCIES
from drivers.wiring import BY_LANGUAGE, TIERS
from gamekit.catalogue import load, names

Kind = Literal["switch", "number", "cents", "choice", "text"]

ON, OFF = "on", "off"
COIN_VALUES = (1, 2, 5, 10, 20, 50, 100, 200)
"""The possible values of a bet's coin: not money, so the same in every currency."""
LANGUAGES = {"en": "English", "de": "Deutsch"}
USUAL, BY_SIGN, IN_LANGUAGE = "as usual for the currency", "by its sign", "as usual in the language"
PATTERNS = {None: "as weaker ones", "off": "off", "on": "on", "slow": "slow", "medium": "medium", "fast": "fast"}
CONDITIONS = {
    "locked": "The machine is locked",
    "door": "A door is open",
    "fault": "A fault stops play",
    "jackpot": "A jackpot or a large win",
    "hand_pay": "A hand-pay waits",
    "out_of_service": "Out of service",
    "service_call": "The attendant is called",
    "opened": "A door was open",
    "booting": "The program starts",
    "idle": "Ready",
}
LOSS_LIMITS = {"none": "is not asked for", "asked": "is asked for", "required": "is required"}
RESIDUES = {"credit": "stays as credit", "hand_pay": "is paid by hand"}
TIER_NAMES = {"top": "Top light", "upper": "Upper light", "lower": "Lower light", "bottom": "Bottom light"}


class Setting(NamedTuple):
    """A setting: the value of `key`, or whether `member` is in its list.

    `cents` is shown beside the `label` of a coin, a note or a bet. A number is typed in `unit`, which is `per` times
    the file's unit. `choices` are the possible values with their words, `members` all possible items of a list; an
    empty list means all of them if `empty_is_all`. `unset` is the value of a missing key.
    """

    key: str
    label: str
    kind: Kind
    unit: str = ""
    per: int = 1
    cents: int | None = None
    choices: Sequence[tuple[Value, str]] = ()
    member: int | str | None = None
    members: Sequence[int | str] = ()
    empty_is_all: bool = False
    may_be_empty: bool = False
    unset: Value = None

    @property
    def name(self) -> str:
        """The unique name of the setting."""
        return self.key if self.member is None else f"{self.key}={self.member}"

    @property
    def money(self) -> bool:
        """Whether it needs zero credit, no round, no open payout and no money that is held (C11)."""
        return matches(self.key, MONEY)

    @property
    def at_once(self) -> bool:
        """Whether a change applies at once, not at the next start."""
        return not matches(self.key, AT_NEXT_START)

    @property
    def limits(self) -> tuple[int, int]:
        """The lowest and highest number that may be typed."""
        low, high = bounds(self.key)
        return -(-low // self.per), high // self.per

    def value(self, config: Config) -> Value:
        """Return the current value: of a list, whether `member` is in it."""
        value = value_at(config, self.key)
        value = self.unset if value is None else value
        return value if self.member is None else self.member in self._list(value)

    def _list(self, value: Value) -> Sequence[int | str]:
        if value is None or (self.empty_is_all and not value):
            return self.members
        return [*value] if isinstance(value, list) else ()

    def words(self, value: Value) -> str:
        """Return a value as the page shows it; amounts are formatted by the display."""
        match self.kind:
            case "switch":
                return ON if value else OFF
            case "number":
                return f"{_whole(value) // self.per} {self.unit}".strip()
            case "choice":
                return next((words for choice, words in self.choices if choice == value), str(value))
            case "text":
                return str(value)
        return ""

    def taken(self, typed: str, config: Config) -> Value:
        """Return the new value of `key` after `typed`: a number, an amount, a choice or a text.

        Raise `ValueError` with a message for the screen if the last item of a list that needs one would be removed.
        """
        match self.kind:
            case "number" | "cents":
                return int(typed) * self.per
            case "choice":
                return next(value for value, words in self.choices if words == typed)
            case "text":
                return typed.strip()
        if self.member is None:
            return typed == ON
        there = [member for member in self._list(value_at(config, self.key)) if member != self.member]
        if typed == ON:
            there.append(self.member)
        if not there and not self.may_be_empty:
            raise ValueError(ONE_STAYS)
        amounts = [member for member in there if isinstance(member, int)]
        return sorted(amounts) or [member for member in there if isinstance(member, str)]


def _whole(value: Value) -> int:
    return value if isinstance(value, int) else 0


def site(config: Config) -> Iterator[Setting]:
    """Yield C.1: name, number and location of the cabinet, its language, and how it writes days and amounts."""
    yield Setting("cabinet.name", "Name", "text")
    yield Setting("cabinet.number", "Number", "text", may_be_empty=True)
    yield Setting("cabinet.location", "Location", "text", may_be_empty=True)
    yield Setting("cabinet.language", "Language", "choice", choices=tuple(LANGUAGES.items()))
    yield Setting("cabinet.dates", "Dates", "choice", choices=((BY_LANGUAGE, IN_LANGUAGE), *_same(DATE_FORMATS)))
    tender = config.cabinet.money.tender
    by_sign = () if config.cabinet.money.currency else (("", BY_SIGN),)
    yield Setting("cabinet.money.currency", "Currency", "choice", choices=(*by_sign, *_same(tuple(CURRENCIES))))
    every = tuple(currency.symbol for currency in CURRENCIES.values())
    signs = _same(tuple(dict.fromkeys((tender.symbol, tender.code) if not by_sign else every)))
    usual = () if by_sign else (("", USUAL),)
    yield Setting("cabinet.money.symbol", "Sign of the currency", "choice", choices=(*usual, *signs))
    first = ((None, USUAL), (True, ON), (False, OFF))
    yield Setting("cabinet.money.symbol_first", "Sign before the amount", "choice", choices=first)
    usual_sign = (BY_LANGUAGE, IN_LANGUAGE)
    yield Setting("cabinet.money.decimal", "Sign for decimals", "choice", choices=(usual_sign, *_same((".", ","))))
    signs = (usual_sign, *_same((",", ".", "'")))
    yield Setting("cabinet.money.thousands", "Sign for thousands", "choice", choices=signs)


def money(config: Config) -> Iterator[Setting]:
    """Yield C.2: limits, accepted coins and notes (B6), and coin values of bets."""
    yield Setting("limits.credit_cents", "Credit limit", "cents")
    yield Setting("limits.notes_credit_cents", "Credit limit for notes", "cents")
    yield Setting("limits.hopper_cents", "Most paid by the hopper at once", "cents")
    yield Setting("limits.large_win_cents", "Large win, paid after a key", "cents")
    yield Setting("limits.coins_jump_cents", "Coins between two games", "cents")
    yield Setting("limits.notes_jump_cents", "Notes between two games", "cents")
    if config.hopper is not None:
        yield Setting("hopper.max_coins", "Most coins of one payout", "number")
        yield Setting("payout.residue", "Less than one hopper coin", "choice", choices=tuple(RESIDUES.items()))
        yield Setting("payout.hopper_away_s", "Silent hopper given up after", "number", unit="s")
    if config.bill_validator is not None:
        notes = _with(config.cabinet.money.tender.notes_cents, config.limits.notes_cents)
        yield from _members("limits.notes_cents", "Note of", notes, may_be_empty=True)
    if config.coin_acceptor is not None:
        coins = _with(config.cabinet.money.tender.coins_cents, config.coin_acceptor.coins_cents)
        yield from _members("coin_acceptor.coins_cents", "Coin of", coins, empty_is_all=True)


def games(config: Config) -> Iterator[Setting]:
    """Yield C.3: games and their bets; a game that is switched on comes last in the lobby."""
    offered = config.games
    for name in names():
        yield Setting("games.enabled", load(name).title, "switch", member=name, members=names())
    titles = [(name, load(name).title) for name in offered.enabled]
    if titles:
        yield Setting("games.default", "First game in the lobby", "choice", choices=titles)
    yield Setting("games.autospin", "Autospin", "switch")
    yield Setting("games.double_up", "Double or nothing", "switch")
    values = _with(COIN_VALUES, offered.coin_values_cents)
    yield from _members("games.coin_values_cents", "Coin value", values)
    usual = [(cents, amount(cents)) for cents in offered.coin_values_cents]
    yield Setting("games.default_coin_value_cents", "Usual coin value", "choice", choices=usual)


def fair_play(_config: Config) -> Iterator[Setting]:
    """Yield C.9: limits of play, and information for players about their play (docs/fair-play.md)."""
    yield Setting("games.least_ms", "A game lasts at least", "number", unit="ms")
    yield Setting("games.turbo", "Turbo", "switch")
    yield Setting("games.stop", "SPIN shortens a game", "switch")
    yield Setting("games.buy", "Features are sold", "switch")
    yield Setting("games.autospin_spins", "Most spins of autospin", "number")
    yield Setting("games.autospin_loss_limit", "Autospin needs a loss limit", "switch")
    yield Setting("games.celebrate_all", "Wins up to the stake are celebrated", "switch")
    yield Setting("games.largest_stake_cents", "Largest stake", "cents")
    yield Setting("games.largest_prize_cents", "Largest prize", "cents")
    yield Setting("player.clock", "Time of day on every screen", "switch")
    yield Setting("player.panel", "Time and net of the session are shown", "switch")
    yield Setting("player.reality_check_minutes", "Reality check every", "number", unit="min")
    yield Setting("player.rest_minutes", "Rest after a reality check", "number", unit="min")
    yield Setting("player.break_minutes", "Break that a player may start", "number", unit="min")
    yield Setting("player.loss_limit", "Loss limit of a session", "choice", choices=tuple(LOSS_LIMITS.items()))


def of_game(config: Config, name: str) -> Iterator[Setting]:
    """Yield the settings of one game: its gamble cap, and its bets if it is bet by its total."""
    game = load(name)
    if game.gamble_cap_cents:
        yield Setting(f"games.gamble_cap_cents.{name}", "Highest gamble", "cents", unset=game.gamble_cap_cents)
    if game.total_bets is not None:
        choices = _with(game.total_bets.usual_cents, total_bets(game, config.games))
        yield from _members(f"games.bets_cents.{name}", "Bet of", choices)


def sound_and_screen(_config: Config) -> Iterator[Setting]:
    """Yield C.4: sound, brightness, attract."""
    yield Setting("sound.percent", "Loudest volume", "number", unit="%")
    yield Setting("sound.attract", "Attract show is heard", "switch")
    yield Setting("display.brightness_percent", "Brightness", "number", unit="%")
    yield Setting("timing.attract_after_ms", "Attract show after", "number", unit="s", per=1_000)


def tower(config: Config, condition: str) -> Iterator[Setting]:
    """Yield the pattern of each fitted tier of the tower light under a condition of `[tower]` (D11)."""
    patterns = tuple(PATTERNS.items())
    for tier in TIERS:
        if tier in config.pins.tower:
            yield Setting(f"tower.{condition}.{tier}", TIER_NAMES[tier], "choice", choices=patterns)


def tower_conditions(config: Config) -> Iterator[str]:
    """Yield the conditions of the tower light, strongest first, with the coin values that have idle patterns."""
    for condition in Tower.__struct_fields__:
        if condition == "denominations":
            yield from (f"denominations.{cents}" for cents in config.games.coin_values_cents)
        else:
            yield condition


def network(config: Config) -> Iterator[Setting]:
    """Yield C.6: the switch of the configured interface, if any."""
    if config.network.interface:
        yield Setting("network.enabled", "Network", "switch")


def access(_config: Config) -> Iterator[Setting]:
    """Yield C.7: timeouts and limits of the menu (S1)."""
    yield Setting("service.idle_s", "Menu closes itself after", "number", unit="s")
    yield Setting("service.pin_attempts", "Wrong PINs in a row", "number")
    yield Setting("service.barred_minutes", "Then barred for", "number", unit="min")
    yield Setting("service.attendant_key_alone", "Attendant's key opens without a PIN", "switch")
    yield Setting("service.technician_key_alone", "Technician's key opens without a PIN", "switch")
    yield Setting("service.attendant_refills", "The attendant refills the hopper", "switch")
    yield Setting("service.attendant_collects", "The attendant collects", "switch")
    yield Setting("service.attendant_tests_lamps", "The attendant tests the lamps", "switch")


def all_settings(config: Config) -> Iterator[Setting]:
    """Yield every setting of this cabinet, in the order of the pages."""
    for page in (site, money, games, fair_play):
        yield from page(config)
    for name in config.games.enabled:
        yield from of_game(config, name)
    yield from sound_and_screen(config)
    for condition in tower_conditions(config):
        yield from tower(config, condition)
    yield from network(config)
    yield from access(config)


def amount(cents: int) -> str:
    """Return an amount as plain digits, for a choice."""
    return f"{cents // 100}.{cents % 100:02}"


def longest(setting: Setting) -> int:
    """Return the most characters of a text, or digits of a number, that can be typed."""
    return LONGEST_NAME if setting.kind == "text" else len(str(setting.limits[1]))


def _same(values: Sequence[str]) -> tuple[tuple[Value, str], ...]:
    return tuple((value, value) for value in values)


def _with(usual: Sequence[int], more: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted({*usual, *more}))


def _members(
    key: str, label: str, members: Sequence[int], *, empty_is_all: bool = False, may_be_empty: bool = False
) -> Iterator[Setting]:
    for cents in members:
        yield Setting(
            key,
            label,
            "switch",
            cents=cents,
            member=cents,
            members=members,
            empty_is_all=empty_is_all,
            may_be_empty=may_be_empty,
        )
