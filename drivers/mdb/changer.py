"""Where the two drivers of one coin changer meet: its acceptor, which polls it, and its tubes, which pay."""

import asyncio

from drivers.clock import Clock
from drivers.mdb.link import MdbLink
from drivers.mdb.protocol import CoinSetup, CoinState, Identification

STATES = {
    CoinState.TUBE_JAM: ("hopper_jam", "a coin is stuck at the end of a tube"),
    CoinState.TUBE_SENSOR: ("hopper_sensor", "a sensor of a tube has failed"),
}
"""Faults of the tubes that a poll reports, once, and what each says."""


class Changer:
    """What the acceptor's driver knows of the changer; `present` is set while it answers.

    `pays` keeps coins out: it is set from the start where tubes are to pay, until their driver knows that they owe
    nothing. `still` says that no coin can fall into a tube. `faults` are the tubes', since their driver last took them;
    `was_reset` says that the changer started anew since an order was sent.
    """

    def __init__(self, *, pays: bool = False) -> None:
        self.present = asyncio.Event()
        self.pays = pays
        self.still = False
        self.faults: dict[str, str] = {}
        self.was_reset = False
        self.busy_at = float("-inf")
        self.link: MdbLink | None = None
        self.setup: CoinSetup | None = None
        self.who: Identification | None = None
        self.serial = 0
        self.found_count = 0

    def __repr__(self) -> str:
        return f"<Changer {'present' if self.present.is_set() else 'away'}{', pays' if self.pays else ''}>"

    def found(self, link: MdbLink, setup: CoinSetup, who: Identification | None, serial: int) -> None:
        """The acceptor's driver has set the changer up."""
        self.link, self.setup, self.who, self.serial = link, setup, who, serial
        self.found_count += 1
        self.present.set()

    def left(self) -> None:
        """The acceptor's driver has lost it."""
        self.present.clear()
        self.still = False

    def said(self, state: CoinState, clock: Clock) -> None:
        """Note what a poll reported of the tubes."""
        if state in STATES:
            code, words = STATES[state]
            self.faults[code] = words
        elif state is CoinState.RESET:
            self.was_reset = True
        elif state in {CoinState.PAYOUT_BUSY, CoinState.BUSY}:
            self.busy_at = clock.now()
