"""What the machine commands of the cabinet's front: lamps, tower light, and whether money is taken."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Literal

from controller.hardware.hardware import Hardware
from drivers.pins.lamps import LampPattern
from drivers.pins.tower_light import LightPattern

Held = Literal["lamps", "tower", "money"]


class Outputs:
    """What the machine commands: remembered from the first word on, given to the drivers when they exist.

    What is `held` is remembered only, so that whoever holds it can command the drivers themselves.
    """

    def __init__(self) -> None:
        self._hardware: Hardware | None = None
        self._lamps: Mapping[str, LampPattern] = {}
        self._tower: Mapping[str, LightPattern] = {}
        self._coins = False
        self._notes: frozenset[int] = frozenset()
        self._held: set[Held] = set()

    def connect(self, hardware: Hardware) -> None:
        """Give everything that was commanded so far, and from now on, to `hardware`."""
        self._hardware = hardware
        self._command()

    @contextmanager
    def held(self, *what: Held) -> Iterator[None]:
        """Keep the machine's commands for `what` from the drivers; at the end they get its newest ones."""
        self._held.update(what)
        try:
            yield
        finally:
            self._held.difference_update(what)
            self._command()

    def _command(self) -> None:
        self.lamps(self._lamps)
        self.tower(self._tower)
        self.take_money(coins=self._coins, notes_cents=self._notes)

    def lamps(self, patterns: Mapping[str, LampPattern]) -> None:
        """Light the panel's buttons."""
        self._lamps = patterns
        if self._hardware is not None and "lamps" not in self._held:
            self._hardware.lamps.set(patterns)

    def tower(self, patterns: Mapping[str, LightPattern]) -> None:
        """Light the tower."""
        self._tower = patterns
        if self._hardware is not None and "tower" not in self._held:
            self._hardware.tower.set(patterns)

    def take_money(self, *, coins: bool, notes_cents: frozenset[int]) -> None:
        """Take coins and these notes."""
        self._coins, self._notes = coins, notes_cents
        if self._hardware is None or "money" in self._held:
            return
        if self._hardware.coin_acceptor is not None:
            self._hardware.coin_acceptor.accept(enabled=coins)
        if self._hardware.bill_validator is not None:
            self._hardware.bill_validator.accept(notes_cents)
        for kind, acceptor in self._hardware.pulse_acceptors.items():
            acceptor.accept(enabled=coins if kind == "coin" else bool(notes_cents))
