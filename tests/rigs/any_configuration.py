"""Configurations that `check-config` accepts: any values of the sample are replaced by others within their bounds.

Left out is what a cabinet in one process cannot have otherwise: other pins, ports, paths, the currency of its devices,
and a card without which no PIN is taken. The validator's protocol is drawn beside them: its device is made for it.
"""

import asyncio
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import strategies as st

from controller.configuration.cabinet_toml import Config, bounds, whole_file
from controller.configuration.checks import problems_in
from controller.configuration.fields import Fields, choices_of, type_at, walk
from controller.journal.actor import Role
from controller.journal.people import people
from controller.journal.store import Store
from controller.settings.settings import Value
from drivers.simulated.escpos.build import Build
from drivers.simulated.escpos.printer import SimulatedPrinter
from drivers.simulated.memory_line import MemoryLine
from drivers.wiring import TicketPrinter
from gamekit.catalogue import names
from tests.rigs.people import NAME, set_up_person, typed_at
from tests.rigs.virtual_cabinet import PRESS_S, VirtualCabinet

_KEPT = (
    *("cabinet.run_dir", "cabinet.journal", "cabinet.second_copy", "cabinet.copy_locks", "cabinet.key"),
    *("storage.archive", "export.roots", "display.baked", "games.folder", "network.*"),
    *("cabinet.money.currency", "cabinet.money.country", "cabinet.money.id003_country"),
    *("pins.factory", "pins.*pin", "pins.*lamp", "pins.*sense", "pins.*active", "pins.*enable", "pins.*reset"),
    *("*.port", "*.address", "*.serial", "*.protocol", "*.pin", "*_key", "ticket_printer.*", "host_port*"),
    *("cards.device", "cards.mode", "tickets.validated_by"),
)
_LISTS: dict[str, tuple[Value, ...]] = {
    "games.enabled": names(),
    "games.coin_values_cents": (1, 2, 5, 10, 20, 50, 100, 200, 500, 5_000, 10_000),
    "limits.notes_cents": (500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000),
    "coin_acceptor.coins_cents": (1, 2, 5, 10, 20, 50, 100, 200),
    "tickets.lines": ("Hall", "Süd 1", "x" * 60),
}
_TEXTS: dict[str, tuple[str, ...]] = {
    "cabinet.name": ("A", "Ä 1"),
    "cabinet.number": ("", "7"),
    "cabinet.location": ("", "door"),
    "cabinet.money.symbol": ("", "€", "EUR"),
    "cabinet.money.decimal": ("language", ".", ",", "·"),
    "cabinet.money.thousands": ("language", "", ",", ".", "'"),
    "games.default": names(),
}
_STAFF = {Role.TECHNICIAN: NAME, Role.ATTENDANT: "BOB"}
_DEVICES = ("coin_acceptor", "bill_validator", "hopper")

_INFO = msgspec.inspect.type_info(whole_file())


class AnyCabinet(VirtualCabinet):
    """A cabinet with a ticket printer besides, on whose configuration no card is needed."""

    def __init__(self, folder: Path, protocol: str, games: Sequence[str]) -> None:
        super().__init__(folder, protocol=protocol, games=games)
        self.config = complete(self.config)
        self.printer = SimulatedPrinter(dropped=lambda _piece: None, build=Build(baud=0))
        self.lines["printer"] = MemoryLine(self.printer, path="printer")

    def mains(self, *, on: bool) -> None:
        """Switch the printer's power with the others'."""
        super().mains(on=on)
        self.printer.power(on=on)

    def _opened(self, path: Path) -> Store:
        """Open the books, in which a technician and an attendant have their names and PINs."""
        store = super()._opened(path)
        if not store.transact(people):
            for role, name in _STAFF.items():
                set_up_person(store, name, role)
        return store

    async def turn(self, key: str) -> None:
        """Turn a key, type the PIN where one is asked for, and turn it back."""
        assert self.supervisor is not None
        machine, service = self.supervisor.machine, self.supervisor.service
        pin = self.factory.pin(self.config.pins.keys[key].pin)
        pin.drive_low()
        await asyncio.sleep(PRESS_S)
        name = _STAFF[Role(key)]
        while (page := service.page) is not None:
            asked = [f"service:row:{at}" for at, row in enumerate(page.rows) if row.place == name]
            if not (touches := typed_at(page, name=name) if page.entry else asked):
                break
            for control in touches:
                machine.states.press(control)
                await asyncio.sleep(PRESS_S)
        pin.drive_high()
        await asyncio.sleep(PRESS_S)


def complete(config: Config) -> Config:
    """Return `config` with a ticket printer, and with cards in place of a PIN where a reader is drawn."""
    cards = msgspec.structs.replace(config.cards, mode="instead")
    return msgspec.structs.replace(config, cards=cards, ticket_printer=TicketPrinter(port="printer"))


def changes(config: Config) -> st.SearchStrategy[dict[str, Value | None]]:
    """Draw values by their keys, None for a table that is left out."""
    fields: Fields = {}
    list(walk(_tables(config), _INFO, "", fields))
    values = {key: drawn for key, value in fields.items() if (drawn := _values(key, value)) is not None}
    values |= dict.fromkeys(wires(config), st.none())
    whole = st.fixed_dictionaries({}, optional={**values, **dict.fromkeys(_DEVICES, st.none())})
    few = st.sets(st.sampled_from(sorted(values)), min_size=1, max_size=6).flatmap(
        lambda keys: st.fixed_dictionaries({key: values[key] for key in sorted(keys)})
    )
    limits = st.fixed_dictionaries(
        {"games.enabled": values["games.enabled"]},
        optional={key: st.sampled_from((0, 1, 5, 50, 1_000)) for key in fields if key.startswith("games.largest_")},
    )
    return st.one_of(few, limits, whole)


def wires(config: Config) -> list[str]:
    """Return the keys of the buttons, doors, tiers and meters, each of which may be left out."""
    return [
        f"pins.{kind}.{one}" for kind in ("buttons", "doors", "tower", "meters") for one in getattr(config.pins, kind)
    ]


def _values(key: str, value: Any) -> st.SearchStrategy[Value] | None:
    if any(fnmatchcase(key, pattern) for pattern in _KEPT):
        return None
    if key in _LISTS:
        return st.lists(st.sampled_from(_LISTS[key]), max_size=4, unique=True)
    if isinstance(value, bool):
        return st.booleans()
    if choices := choices_of(type_at(_INFO, key)) or _TEXTS.get(key, ()):
        return st.sampled_from(choices)
    if isinstance(value, int):
        low, high = bounds(key)
        return st.one_of(st.sampled_from((low, high)), st.integers(low, high))
    return None


def accepted(config: Config, drawn: dict[str, Value | None]) -> Config:
    """Return `config` with those of the drawn values, one after the other, with which it has no problem.

    Its own are those of ports in memory, which are no device files.
    """
    tables = _tables(config)
    own = set(problems_in(tables, whole_file()))
    for key, value in drawn.items():
        changed = msgspec.json.decode(msgspec.json.encode(tables))
        _put(changed, key.split("."), value)
        if own.issuperset(problems_in(changed, whole_file())):
            tables = changed
    return msgspec.convert(tables, whole_file())


def _tables(config: Config) -> dict[str, Any]:
    """Return a configuration as its TOML would be parsed, without what is not set."""
    return _set(msgspec.json.decode(msgspec.json.encode(config), type=dict[str, Any]))


def _set(table: dict[str, Any]) -> dict[str, Any]:
    return {key: _set(value) if isinstance(value, dict) else value for key, value in table.items() if value is not None}


def _put(tables: dict[str, Any], path: list[str], value: Value | None) -> None:
    for name in path[:-1]:
        if tables.get(name) is None:
            return
        tables = tables[name]
    if value is None:
        tables.pop(path[-1], None)
    else:
        tables[path[-1]] = value
