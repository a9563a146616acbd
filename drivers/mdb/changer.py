"""State shared by the two drivers of one coin changer: the acceptor, which polls it, and the tubes, which pay."""

import asyncio

from drivers.clock import Clock
from drivers.mdb.link import MdbLink
from drivers.mdb.protocol import CoinSetup, CoinState, Identification

STATES = {
    CoinState.TUBE_JAM: ("hopper_jam", "a coin is stuck at the end of a tube"),
    CoinState.TUBE_SENSOR: ("hopper_sensor", "a sensor of a tube has failed"),
}
"""Faults of the tubes that a poll reports once, with their descriptions."""


class Changer:
    """What the acceptor's driver knows about the changer; `present` is set while it answers.

    `pays` inhibits coins: it is set from the start if tubes are configured, until their driver knows that no payout is
    open. `still` says that no coin can fall into a tube. `faults` are the faults of the tubes since their driver last
    read them; `was_reset` says that the changer restarted since the last order was sent. A changer that restarted is
    not present until it is identified again: another one may stand in its place. `polls` counts answered polls.
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
        self.polls = 0

    def __repr__(self) -> str:
        return f"<Changer {'present' if self.present.is_set() else 'away'}{', pays' if self.pays else ''}>"

    def found(self, link: MdbLink, setup: CoinSetup, who: Identification | None, serial: int) -> None:
        """Publish the changer; called by the acceptor's driver after setup."""
        self.link, self.setup, self.who, self.serial = link, setup, who, serial
        self.found_count += 1
        self.present.set()

    def left(self) -> None:
        """Mark the changer as lost; called by the acceptor's driver."""
        self.present.clear()
        self.still = False

    def said(self, state: CoinState, clock: Clock) -> None:
        """Record a state that a poll reported about the tubes."""
        if state in STATES:
            code, words = STATES[state]
            self.faults[code] = words
        elif state is CoinState.RESET:
            self.was_reset = True
            self.left()
        elif state in {CoinState.PAYOUT_BUSY, CoinState.BUSY}:
            self.busy_at = clock.now()
