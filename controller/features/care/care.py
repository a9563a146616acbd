"""The cost of the current session, and what holds a player back: reality check, break, loss limit (docs/fair-play.md).

A session lasts from leaving the attract show to returning to it, because a cabinet does not know its players. Time is
counted in powered-on minutes, which neither a power cut nor the clock shortens, and money by the meters' change during
the session.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from controller.configuration.cabinet_toml import PlayerCare
from controller.features.care.events import CareEvent
from controller.journal.key_value import SETTINGS, Stored
from controller.journal.ledger import ADDS, TAKES
from controller.journal.periods import lifetime
from controller.journal.reads import cabinet_row
from controller.journal.transaction import Transaction
from controller.session.player_session import LIMIT_REACHED, PlayerSession, SessionKeeper
from ui.protocol.values import SessionFigures

ON_BREAK, CHECK_DUE, LIMIT_UNASKED = "on_break", "reality_check", "limit_unasked"
"""The reasons for refusing a stake that have pages of their own."""

NO_LIMIT = 0
"""The answer of a player who wants no loss limit."""
LIMITS_CENTS = (500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)
"""The loss limits to choose from."""

_ANSWERS = {"go_on": CareEvent.CHECK_GO_ON, "break": CareEvent.CHECK_BREAK, "collect": CareEvent.CHECK_COLLECT}

_PLAY = {"wins": 1, "stakes_voided": 1, "stakes": -1, "wins_voided": -1}
_HELD = {"payouts_held": -1, "held_released": 1}
"""Meters of money on its way out that may return to the credit."""
_IN = {name: 1 for name in ADDS if name not in _PLAY and name not in _HELD}
_OUT = {name: -1 for name in TAKES if name not in _PLAY and name not in _HELD} | _HELD


class StoredSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session in the journal, or the time since the last one if it is not `active`.

    `meters` are those at the end of the previous session. `began` and `checked` are powered-on minutes: of the start,
    and of the last answer to a reality check. `limit_cents` is None until the player has been asked for a loss limit.
    """

    active: bool = False
    began: int = 0
    checked: int = 0
    meters: dict[str, int] = {}
    limit_cents: int | None = None


_SESSION = Stored(SETTINGS, "player_care", StoredSession)
_BREAK = Stored(SETTINGS, "player_break_until", int)


@dataclass(frozen=True)
class Care(PlayerSession):
    """The session at one moment of the journal, with the `minute` and `meters` of that moment."""

    kept: StoredSession = StoredSession()  # noqa: RUF009 - it cannot be changed
    minute: int = 0
    meters: Mapping[str, int] = field(default_factory=dict)
    break_until: int = 0

    def _sum(self, signs: Mapping[str, int]) -> int:
        before = self.kept.meters
        return sum(sign * (self.meters.get(name, 0) - before.get(name, 0)) for name, sign in signs.items())

    @property
    def net_cents(self) -> int:
        """Wins minus stakes."""
        return self._sum(_PLAY)

    @property
    def active(self) -> bool:
        """Whether a session is running."""
        return self.kept.active

    @property
    def minutes(self) -> int:
        """The session's length in powered-on minutes; 0 without a session."""
        return self.minute - self.kept.began if self.kept.active else 0

    @property
    def figures(self) -> SessionFigures:
        """The session's amounts; the credit has changed by in - out + net."""
        return SessionFigures(
            in_cents=self._sum(_IN),
            out_cents=-self._sum(_OUT),
            net_cents=self.net_cents,
            loss_limit_cents=self.kept.limit_cents or NO_LIMIT,
        )

    @property
    def break_left(self) -> int:
        """The remaining minutes of the break; 0 without one."""
        return max(0, self.break_until - self.minute)

    def check_due(self, rules: PlayerCare) -> bool:
        """Whether a reality check must be answered before the next stake."""
        every = rules.reality_check_minutes
        return bool(every) and self.kept.active and self.minute - self.kept.checked >= every

    def page_due(self, rules: PlayerCare) -> bool:
        """Whether the break or a reality check is due."""
        return bool(self.break_left) or self.check_due(rules)

    def may_refuse(self, rules: PlayerCare) -> bool:
        """Whether the house asks for anything, or a break was begun."""
        return rules != PlayerCare() or self.break_until > 0

    def limit_due(self, rules: PlayerCare) -> bool:
        """Whether a loss limit must be asked for before the next stake; "no limit" is not enough if one is required."""
        if rules.loss_limit == "required":
            return not self.kept.limit_cents
        return rules.loss_limit != "none" and self.kept.limit_cents is None

    def refusal(self, rules: PlayerCare, stake_cents: int) -> str:
        """Return why this stake may not be placed, or an empty string."""
        if self.break_left:
            return ON_BREAK
        if self.check_due(rules):
            return CHECK_DUE
        if self.limit_due(rules):
            return LIMIT_UNASKED
        limit = self.kept.limit_cents or NO_LIMIT
        return LIMIT_REACHED if limit and stake_cents - self.net_cents > limit else ""

    def limits(self, rules: PlayerCare) -> tuple[int, ...]:
        """Return the loss limits to choose from, in cents; once one is set in a session, only lower ones."""
        now = self.kept.limit_cents
        if now:
            return tuple(cents for cents in LIMITS_CENTS if cents < now)
        return LIMITS_CENTS if rules.loss_limit == "required" else (NO_LIMIT, *LIMITS_CENTS)


def read_care(tx: Transaction) -> Care:
    """Return the current session."""
    kept = _SESSION.read(tx) or StoredSession()
    return Care(kept, cabinet_row(tx).powered_minutes, _meters(tx), _BREAK.read(tx) or 0)


class CareKeeper(SessionKeeper):
    """Keeps the player's session."""

    def at_start(self, tx: Transaction) -> None:
        """Start keeping sessions in new or rebuilt books, from the next session on."""
        if _SESSION.read(tx) is None:
            self.end(tx)

    def begin(self, tx: Transaction) -> None:
        """Begin a session; money inserted since the last session belongs to it."""
        kept, minute = _SESSION.read(tx) or StoredSession(), cabinet_row(tx).powered_minutes
        _SESSION.write(tx, StoredSession(active=True, began=minute, checked=minute, meters=kept.meters))

    def end(self, tx: Transaction) -> None:
        """End the session; a break continues."""
        _SESSION.write(tx, StoredSession(meters=_meters(tx)))

    def read(self, tx: Transaction) -> Care:
        """Return the current session."""
        return read_care(tx)


def answer_check(tx: Transaction, answer: str, rules: PlayerCare) -> None:
    """Record the answer to a reality check (`go_on`, `break`, `collect`) with its figures; a rest from play may follow.

    The next check is due one interval from now.
    """
    now = read_care(tx)
    _SESSION.write(tx, msgspec.structs.replace(now.kept, checked=now.minute))
    shown = now.figures
    tx.event(
        _ANSWERS[answer],
        minutes=now.minutes,
        in_cents=shown.in_cents,
        out_cents=shown.out_cents,
        net_cents=shown.net_cents,
    )
    minutes = max(rules.rest_minutes, rules.break_minutes if answer == "break" else 0)
    if minutes:
        begin_break(tx, minutes)


def begin_break(tx: Transaction, minutes: int) -> None:
    """Refuse stakes and money for at least this many powered-on minutes; a longer running break is not shortened.

    The interval to the next reality check starts at its end.
    """
    now = read_care(tx)
    until = now.minute + minutes + 1  # the current minute may be nearly over
    until = max(now.break_until, until)
    _BREAK.write(tx, until)
    _SESSION.write(tx, msgspec.structs.replace(now.kept, checked=until))
    tx.event(CareEvent.BREAK_BEGUN, minutes=minutes)


def set_limit(tx: Transaction, cents: int) -> None:
    """Record the player's answer about a loss limit; it is never raised within a session."""
    kept = _SESSION.read(tx) or StoredSession()
    if kept.limit_cents and not 0 < cents < kept.limit_cents:
        return
    _SESSION.write(tx, msgspec.structs.replace(kept, limit_cents=cents))
    if cents:
        tx.event(CareEvent.LOSS_LIMIT, limit_cents=cents)
    else:
        tx.event(CareEvent.NO_LOSS_LIMIT)


def _meters(tx: Transaction) -> dict[str, int]:
    names = {*ADDS, *TAKES}
    return {name: value for name, value in lifetime(tx).items() if name in names}
