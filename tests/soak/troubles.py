"""What goes wrong with the devices of a soaked cabinet: each trouble begins by itself and is mended by the staff."""

import asyncio
import random
from collections.abc import Callable

from drivers.cctalk.hopper_status import Flag
from drivers.simulated.cctalk.hopper import CONDITIONS, UPSETS
from drivers.simulated.id003.bill_validator import FAULTS
from drivers.simulated.misbehaviour import Kind, Way
from tests.soak.cabinet import SoakedCabinet
from tests.soak.tally import Tally

COIN_CENTS = 100
AWAY_S = (1.0, 30.0)
"""A host's line is seldom away for long: more than fifty exceptions would overflow."""
COIN_ERRORS = (1, 2, 6, 8, 14, 19, 23)
"""Codes of the acceptor's table 2: rejected, inhibited, optics, too fast, jams, a coin on a string."""


class Troubles:
    """The troubles of one cabinet; `counts` says how often each was."""

    def __init__(self, cabinet: SoakedCabinet, tally: Tally, chance: random.Random) -> None:
        self._cabinet = cabinet
        self._tally = tally
        self._chance = chance
        self._aside = 0
        self.counts: dict[str, int] = {}
        self._all: dict[str, Callable[[], None]] = {
            "a line unplugged": self._unplug,
            "frames spoilt": self._spoil,
            "the hopper jammed": self._jam,
            "the hopper empty": self._empty,
            "a hopper's sensor or memory": self._condition,
            "a payout upset": self._upset,
            "coins slipped out": self._slip,
            "coins ran away": self._run_away,
            "a validator's fault": self._bill_fault,
            "unreadable notes": self._unreadable,
            "a note pulled back": self._cabinet_pull,
            "a coin error": self._coin_error,
            "a door opened": self._door,
        }

    def begin(self) -> None:
        """Let one of them befall the cabinet."""
        name = self._chance.choice(list(self._all))
        self.counts[name] = self.counts.get(name, 0) + 1
        self._all[name]()

    def replug(self) -> None:
        """Put every plug back: an adapter is seldom away for long."""
        for line in self._cabinet.lines.values():
            line.plug()

    def end(self) -> None:
        """Mend all that was broken, shut all doors, pour the hopper's coins back."""
        cabinet = self._cabinet
        self.replug()
        for line in cabinet.lines.values():
            line.misbehaviour.forget()
        cabinet.hopper.jammed = False
        cabinet.hopper.conditions.clear()
        cabinet.hopper.upset = None
        cabinet.hopper.stock += self._aside
        self._aside = 0
        for fault in FAULTS:
            cabinet.bills.set_fault(fault, False)  # noqa: FBT003 - the device's own signature
        cabinet.bills.unreadable = 0
        for door in cabinet.config.pins.doors:
            cabinet.door(door, is_open=False)

    @property
    def aside_cents(self) -> int:
        """What was taken out of the hopper and lies beside it."""
        return self._aside * COIN_CENTS

    def _coins_in_trouble(self) -> None:
        if self._tally.coin_trouble_since is None:
            self._tally.coin_trouble_since = self._cabinet.clock.now()

    def _unplug(self) -> None:
        name = self._chance.choice(list(self._cabinet.lines))
        if name == "coin":
            self._coins_in_trouble()
        if name == "host":
            self._cabinet.host.interrupt()
            again = self._chance.uniform(*AWAY_S)
            asyncio.get_running_loop().call_later(again, self._cabinet.lines[name].plug)
        self._cabinet.lines[name].unplug()

    def _spoil(self) -> None:
        name = self._chance.choice([name for name in self._cabinet.lines if name != "host"])  # an exception has no CRC
        if name == "coin":
            self._coins_in_trouble()
        misbehaviour = self._cabinet.lines[name].misbehaviour
        misbehaviour.inject(
            self._chance.choice(list(Kind)), self._chance.randint(1, 4), way=self._chance.choice(list(Way))
        )

    def _jam(self) -> None:
        self._cabinet.hopper.jammed = True

    def _empty(self) -> None:
        left = self._chance.randint(0, 5)
        hopper = self._cabinet.hopper
        if hopper.stock > left:
            self._aside += hopper.stock - left
            hopper.stock = left

    def _condition(self) -> None:
        self._cabinet.hopper.conditions.add(self._chance.choice(sorted(CONDITIONS, key=lambda flag: flag.name)))

    def _upset(self) -> None:
        befalls = sorted(UPSETS - {Flag.OTHER_HOPPER}, key=lambda flag: flag.name)
        self._cabinet.hopper.upset = self._chance.choice(befalls)

    def _slip(self) -> None:
        coins = min(self._chance.randint(1, 3), self._cabinet.hopper.stock)
        self._tally.strays += coins * COIN_CENTS
        self._cabinet.hopper.slip(coins)

    def _run_away(self) -> None:
        coins = self._chance.randint(1, 2)
        self._tally.strays += coins * COIN_CENTS
        self._cabinet.hopper.runaway = coins

    def _bill_fault(self) -> None:
        self._cabinet.bills.set_fault(self._chance.choice(list(FAULTS)), True)  # noqa: FBT003 - see above

    def _unreadable(self) -> None:
        self._cabinet.bills.unreadable = self._chance.randint(1, 12)

    def _cabinet_pull(self) -> None:
        self._cabinet.bills.insert(1000)
        self._tally.notes_put += 1000
        self._cabinet.bills.pull_back()

    def _coin_error(self) -> None:
        self._cabinet.coins.reject(self._chance.choice(COIN_ERRORS))

    def _door(self) -> None:
        self._cabinet.door(self._chance.choice(list(self._cabinet.config.pins.doors)), is_open=True)
