"""The panel for the autospin settings, operated by touch alone or by the panel's buttons alone.

Buttons: LINES and BET move up and down, BET MAX and INFO choose more and less, SPIN starts, AUTO and COLLECT leave.
While the number pad is open, SPIN is its OK, and AUTO and COLLECT are its CANCEL.
"""

from controller.session.autospin import MOST_SPINS, AutospinSettings
from ui.protocol.messages import AutospinPanel

SPINS = (5, 10, 20, 30, 50, 75, 100, 200, 500, MOST_SPINS)
BETS = (5, 10, 20, 50, 100, 200, 500, 1000)
"""The steps of more and less for an amount, in whole bets."""

USUAL_BETS = 50
"""The limit that a touch on the switch of a limit sets if none was chosen before, in whole bets."""

MOST_CENTS = 9_999_999
"""The highest limit, which is the largest number of the number pad's seven digits."""

DIGITS = ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "00")

_AMOUNTS = ("loss_limit", "single_win")
_SWITCHES = ("stop_on_jackpot", "stop_on_feature")


class SettingsPanel:
    """The settings being chosen for bets of `bet_cents`, starting with those chosen last.

    `pool` is whether the game has a jackpot to stop at. The house allows `most_spins`, and with `must_limit` no start
    without a loss limit. `field` is the setting at the panel's cursor. `typing` is the amount that the number pad is
    open for, or empty, and `typed_cents` the value typed so far.
    """

    def __init__(
        self,
        settings: AutospinSettings,
        bet_cents: int,
        *,
        pool: bool,
        most_spins: int = MOST_SPINS,
        must_limit: bool = False,
    ) -> None:
        self.fields = ("spins", *_AMOUNTS, *(field for field in _SWITCHES if pool or field != "stop_on_jackpot"))
        self.field = "spins"
        self.typing = ""
        self.typed_cents = 0
        self._bet_cents = bet_cents
        self._pool = pool
        self._must_limit = must_limit
        self._numbers = (*(spins for spins in SPINS if spins < most_spins), most_spins)
        self._spins = min(settings.spins, most_spins)
        self._cents = {"loss_limit": settings.loss_limit_cents or 0, "single_win": settings.single_win_cents or 0}
        self._before = {name: cents or min(USUAL_BETS * bet_cents, MOST_CENTS) for name, cents in self._cents.items()}
        self._on = {"stop_on_jackpot": settings.stop_on_jackpot, "stop_on_feature": settings.stop_on_feature}

    @property
    def settings(self) -> AutospinSettings:
        """The present choices."""
        return AutospinSettings(
            spins=self._spins,
            loss_limit_cents=self._cents["loss_limit"] or None,
            single_win_cents=self._cents["single_win"] or None,
            stop_on_jackpot=self._on["stop_on_jackpot"],
            stop_on_feature=self._on["stop_on_feature"],
        )

    @property
    def shown(self) -> AutospinPanel:
        """The panel as the display draws it."""
        return AutospinPanel(
            spins=self._spins,
            loss_limit_cents=self._cents["loss_limit"],
            single_win_cents=self._cents["single_win"],
            stop_on_jackpot=self._on["stop_on_jackpot"] if self._pool else None,
            stop_on_feature=self._on["stop_on_feature"],
            typing=self.typing,
            typed_cents=self.typed_cents,
        )

    @property
    def dead_buttons(self) -> frozenset[str]:
        """The panel's buttons that do nothing now: the number pad has keys but no cursor."""
        if self.typing:
            return frozenset({"lines", "bet", "max_bet", "info"})
        return frozenset() if self._may_start else frozenset({"spin"})

    @property
    def _may_start(self) -> bool:
        """Whether the house allows a start with the present choices."""
        return not self._must_limit or bool(self._cents["loss_limit"])

    @property
    def touches(self) -> frozenset[str]:
        """The live touch controls."""
        if self.typing:
            return frozenset(f"auto:pad:{key}" for key in (*DIGITS, "ok", "cancel", "clear"))
        live = {"auto:start", "auto:cancel"} if self._may_start else {"auto:cancel"}
        for field in self.fields:
            kinds = ("toggle",) if field in _SWITCHES else ("+", "-", "toggle", "pad") if field in _AMOUNTS else "+-"
            live.update(f"auto:{field}:{kind}" for kind in kinds)
        return frozenset(live)

    def take(self, control: str) -> str:
        """Process a press of a live control; return `start` or `cancel` if that ends the panel, otherwise ""."""
        if self.typing:
            self._type({"spin": "ok", "auto": "cancel", "collect": "cancel"}.get(control, control.rsplit(":", 1)[-1]))
            return ""
        if control in ("spin", "auto:start"):
            return "start"
        if control in ("auto", "collect", "auto:cancel"):
            return "cancel"
        if control in ("lines", "bet"):
            step = 1 if control == "bet" else -1
            self.field = self.fields[(self.fields.index(self.field) + step) % len(self.fields)]
        elif control in ("max_bet", "info"):
            self._step(self.field, up=control == "max_bet")
        else:
            _auto, field, kind = control.split(":")
            self.field = field
            self._touched(field, kind)
        return ""

    def _touched(self, field: str, kind: str) -> None:
        if kind == "pad":
            self.typing, self.typed_cents = field, 0
        elif kind != "toggle":
            self._step(field, up=kind == "+")
        elif field in _SWITCHES:
            self._on[field] = not self._on[field]
        else:
            self._choose(field, 0 if self._cents[field] else self._before[field])

    def _step(self, field: str, *, up: bool) -> None:
        if field in _SWITCHES:
            self._on[field] = not self._on[field]
        elif field == "spins":
            self._spins = _neighbour(self._numbers, self._spins, up=up)
        else:
            amounts = tuple(bets * self._bet_cents for bets in BETS if bets * self._bet_cents <= MOST_CENTS)
            self._choose(field, _neighbour((0, *amounts), self._cents[field], up=up))

    def _choose(self, field: str, cents: int) -> None:
        """Choose an amount, 0 for no limit; an amount that is turned off is remembered for turning it on again."""
        self._before[field] = cents or self._cents[field] or self._before[field]
        self._cents[field] = cents

    def _type(self, key: str) -> None:
        if key == "clear":
            self.typed_cents = 0
        elif key in ("ok", "cancel"):
            if key == "ok":
                self._choose(self.typing, self.typed_cents)
            self.typing, self.typed_cents = "", 0
        else:
            longer = self.typed_cents * 10 ** len(key) + int(key)
            self.typed_cents = longer if longer <= MOST_CENTS else self.typed_cents


def _neighbour(values: tuple[int, ...], current: int, *, up: bool) -> int:
    """Return the next of the rising `values` above or below `current`, or `current` if there is none."""
    if up:
        return next((value for value in values if value > current), current)
    return next((value for value in reversed(values) if value < current), current)
