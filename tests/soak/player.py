"""The player of a soaked cabinet: whatever lives is pressed, the likelier the more it plays."""

import asyncio
import random

from drivers.wiring import BUTTONS
from tests.rigs.virtual_cabinet import PRESS_S
from tests.soak.cabinet import SoakedCabinet
from tests.soak.staff import Staff
from tests.soak.tally import Tally
from tests.soak.troubles import Troubles

NOTES = (500, 500, 1000, 1000, 2000, 5000)
COINS = (10, 20, 50, 100, 200)
NOBODY_S = (60.0, 900.0)
ACTS = 40
"""What a player does before he goes, in the hours in which they seldom come."""
MOST_SECONDS_PAID = 300
"""A payout that is open for so long needs the staff."""

WEIGHTS: dict[str, dict[str, float]] = {
    "attract": {"screen": 3, "spin": 3, "info": 0.5, "service": 0.1, "sound": 0.2},
    "lobby": {"game:": 6, "cursor:": 0.5, "bet": 0.5, "spin": 2, "collect": 1, "service": 0.1, "home": 0.3},
    "witch": {"spin": 4, "witch:": 2, "home": 0.2},
    "idle": {
        "spin": 40,
        "auto": 3,
        "max_bet": 0.2,
        "bet": 1,
        "lines": 1,
        "coin_value": 1,
        "buy": 2,
        "info": 1,
        "menu": 1,
        "history": 0.7,
        "settings": 0.5,
        "turbo": 0.5,
        "sound": 0.2,
        "service": 0.1,
        "collect": 0.7,
        "home": 1,
    },
    "lowest_bet": {"lowest_bet:yes": 3, "spin": 1, "service": 0.1},
    "confirm": {"buy:yes": 3, "spin": 1, "service": 0.1},
    "autospin": {"auto:start": 12, "spin": 1, "service": 0.1},
    "offer": {"spin": 6, "choice:": 4, "auto": 0.2, "service": 0.1},
    "gamble_offer": {"spin": 6, "max_bet": 5, "collect": 1, "info": 0.5, "auto": 0.3, "bet": 0.3, "home": 0.2},
    "gamble": {"choice:": 6, "spin": 3, "collect": 1, "service": 0.1},
    "round": {"spin": 1, "auto": 0.1, "service": 0.02, "sound": 0.05},
    "handpay": {"collect": 1, "service": 0.2},
}
WAITS = {"round": 0.7, "collecting": 0.95, "handpay": 0.5, "booting": 1.0, "recovering": 1.0}
"""How often nothing is pressed where something else is awaited."""


class Player:
    """One player after the other; `live` never ends by itself."""

    def __init__(
        self, cabinet: SoakedCabinet, tally: Tally, troubles: Troubles, staff: Staff, chance: random.Random
    ) -> None:
        self._cabinet = cabinet
        self._tally = tally
        self._troubles = troubles
        self._staff = staff
        self._chance = chance
        self._paying_since: float | None = None
        self.counts: dict[str, int] = {}

    async def live(self, *, rarely: bool = False) -> None:
        """Play, and now and then have something else happen, until cancelled; with `rarely` nobody comes for long."""
        while True:
            if rarely:
                await asyncio.sleep(self._chance.uniform(*NOBODY_S))
            for _ in range(ACTS):
                await self.act()

    async def act(self) -> None:
        """Do one thing."""
        cabinet, chance = self._cabinet, self._chance
        cabinet.mind()
        machine = cabinet.machine
        happens = chance.random()
        if machine.conditions.overlay is not None or self._pays_too_long():
            await asyncio.sleep(chance.uniform(1.0, 40.0))
            await self._staff.mend()
        elif happens < 0.012:
            self._troubles.begin()
            await asyncio.sleep(chance.choice((0.0, 0.3, 2.0, 8.0)))
        elif happens < 0.02:
            self._troubles.replug()
        elif happens < 0.026 and cabinet.state in ("attract", "lobby", "idle") and not cabinet.bills.slot:
            await self._staff.visit()
        elif happens < 0.027:
            await cabinet.kill_display()
            await asyncio.sleep(chance.choice((0.0, 1.0, 5.0)))
            cabinet.start_display()
            self._count("displays killed")
        elif happens < 0.036:
            await asyncio.sleep(chance.choice((10.0, 30.0, 90.0, 200.0)))
        elif cabinet.state == "handpay" and happens < 0.5:
            await asyncio.sleep(chance.uniform(2.0, 30.0))
            await self._staff.attendants_key()
        elif self._wants_money(happens):
            await self._pay_in()
        else:
            await self._press()

    def _pays_too_long(self) -> bool:
        now = self._cabinet.clock.now()
        if self._cabinet.state != "collecting":
            self._paying_since = None
        elif self._paying_since is None:
            self._paying_since = now
        return self._paying_since is not None and now - self._paying_since > MOST_SECONDS_PAID

    def _wants_money(self, happens: float) -> bool:
        state, credit = self._cabinet.state, self._cabinet.credit
        if state in ("lobby", "idle", "lowest_bet"):
            return credit < 200 or happens < 0.05
        return (state == "attract" and happens < 0.3) or happens < 0.04

    async def _pay_in(self) -> None:
        cabinet, chance = self._cabinet, self._chance
        if chance.random() < 0.6:
            cents = chance.choice(NOTES)
            self._tally.notes_put += cents
            cabinet.bills.insert(cents)
            self._count("notes")
            await asyncio.sleep(chance.choice((0.0, 0.5, 1.0, 4.0)))
            return
        for _ in range(chance.randint(1, 8)):
            cents = chance.choice(COINS)
            self._tally.coin(cabinet.clock.now(), cents, accepted=cabinet.coins.insert(cents))
            self._count("coins")
            await asyncio.sleep(chance.choice((0.0, 0.1, 0.3, 0.5)))

    async def _press(self) -> None:
        cabinet, chance = self._cabinet, self._chance
        state, live = cabinet.state, sorted(cabinet.machine.states.controls)
        if not live or chance.random() < WAITS.get(state, 0.0):
            await asyncio.sleep(chance.choice((0.3, 1.0, 3.0)))
            return
        weights = WEIGHTS.get(state)
        control = chance.choices(live, [_weight(one, weights) for one in live])[0]
        if control in BUTTONS and chance.random() < 0.5:
            await cabinet.tap(control)
        else:
            cabinet.machine.states.press(control)
            await asyncio.sleep(PRESS_S)
        await asyncio.sleep(chance.choice((0.0, 0.1, 0.5, 1.0, 2.0)))

    def _count(self, what: str) -> None:
        self.counts[what] = self.counts.get(what, 0) + 1


def _weight(control: str, weights: dict[str, float] | None) -> float:
    if weights is None:
        return 1.0
    kind = control.partition(":")[0] + ":"
    return weights.get(control, weights.get(kind, 0.3))
