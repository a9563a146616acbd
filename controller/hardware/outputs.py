"""The machine's commands for the cabinet's front: lamps, tower light, and whether money is accepted."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Literal

from controller.hardware.hardware import Hardware
from drivers.pins.lamps import LampPattern
from drivers.pins.tower_light import LightPattern

Held = Literal["lamps", "tower", "money"]


class Outputs:
    """The machine's commands, stored from the start and passed to the drivers once they exist.

    Commands that are `held` are only stored, so that the holder can command the drivers itself.
    """

    def __init__(self) -> None:
        self._hardware: Hardware | None = None
        self._lamps: Mapping[str, LampPattern] = {}
        self._tower: Mapping[str, LightPattern] = {}
        self._coins = False
        self._notes: frozenset[int] = frozenset()
        self._held: set[Held] = set()

    def connect(self, hardware: Hardware) -> None:
        """Pass all stored and future commands to `hardware`."""
        self._hardware = hardware
        self._command()

    @contextmanager
    def held(self, *what: Held) -> Iterator[None]:
        """Hold back the machine's commands for `what`; at the end the drivers get the newest ones."""
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
        """Light the panel's buttons that are wired."""
        self._lamps = patterns
        if self._hardware is not None and "lamps" not in self._held:
            lamps = self._hardware.lamps
            lamps.set({name: pattern for name, pattern in patterns.items() if name in lamps.fitted})

    def tower(self, patterns: Mapping[str, LightPattern]) -> None:
        """Light the tower."""
        self._tower = patterns
        if self._hardware is not None and "tower" not in self._held:
            self._hardware.tower.set(patterns)

    def take_money(self, *, coins: bool, notes_cents: frozenset[int]) -> None:
        """Accept coins and these notes."""
        self._coins, self._notes = coins, notes_cents
        if self._hardware is None or "money" in self._held:
            return
        if self._hardware.coin_acceptor is not None:
            self._hardware.coin_acceptor.accept(enabled=coins)
        if self._hardware.bill_validator is not None:
            self._hardware.bill_validator.accept(notes_cents)
        for kind, acceptor in self._hardware.pulse_acceptors.items():
            acceptor.accept(enabled=coins if kind == "coin" else bool(notes_cents))
