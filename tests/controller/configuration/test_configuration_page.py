"""The defaults on docs/configuration.md are those of the program."""

import re
import tomllib
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from controller.configuration.cabinet_toml import Config
from drivers.wiring import (
    BillValidator,
    CoinAcceptor,
    Door,
    Expander,
    Hopper,
    Input,
    Latch,
    Meter,
    Money,
    Pins,
    PulseAcceptor,
    TicketPrinter,
)
from tests.rigs.paths import ROOT

PAGE = (ROOT / "docs" / "configuration.md").read_text("utf-8")
Structs = tuple[type[msgspec.Struct], ...]
DEVICES: dict[str, Structs] = {
    "coin_acceptor": (CoinAcceptor,),
    "bill_validator": (BillValidator,),
    "hopper": (Hopper,),
    "ticket_printer": (TicketPrinter,),
}
ENTRIES: dict[str, Structs] = {
    "pins.doors": (Door,),
    "pins.keys": (Input,),
    "pins.meters": (Meter,),
    "pins.expanders": (Expander,),
    "pins.logic_latch": (Latch,),
}
"""The tables of the page whose rows are tables themselves: their defaults are in the text."""
NESTED: dict[str, Structs] = {"cabinet": (Money,), "pins": (PulseAcceptor,)}
"""The tables below a table of the page that have rows in its section."""
NO_TABLES = ("tower", "host_port", "host_port_2")
"""Their rows say something else than keys with a default."""


def structs_of(table: str) -> Structs:
    """The structs whose keys are in that section of the page."""
    if table in DEVICES:
        return DEVICES[table]
    if table == "pins":
        return (Pins, *NESTED["pins"])
    (field,) = (field for field in msgspec.structs.fields(Config) if field.name == table)
    kinds = [field.type, *getattr(field.type, "__args__", ())]
    own = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, msgspec.Struct)]
    return (*own, *NESTED.get(table, ()))


def written() -> Iterator[tuple[str, Structs, str, str]]:
    """Yield each default on the page: its table, the structs that may have the key, the key, and its TOML."""
    tables: list[str] = []
    for line in PAGE.splitlines():
        if line.startswith("## "):
            tables = [name for name in re.findall(r"\[(\w+)\]", line) if name not in NO_TABLES]
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if named := re.match(r"`\[(pins\.\w+)\]`", cells[0]):
            yield from in_words(named[1], cells[-1])
        elif tables and line.startswith("| `") and len(cells) > 2:
            yield from in_cells(tables, cells)


def in_words(table: str, text: str) -> Iterator[tuple[str, Structs, str, str]]:
    """Yield the defaults in a sentence: `active`: …, 1 by default; `reset_ms` (1 to 500; 50)."""
    for keys, default in re.findall(r"(`\w+`(?: and `\w+`)?)[^`;]*?(\d+) by default", text):
        yield from ((table, ENTRIES[table], key, default) for key in re.findall(r"\w+", keys.replace(" and ", " ")))
    for key, default in re.findall(r"`(\w+)`[^`;(]*\((?:\d+ to \d+; )?(\d+)\)", text):
        yield table, ENTRIES[table], key, default


def in_cells(tables: list[str], cells: list[str]) -> Iterator[tuple[str, Structs, str, str]]:
    """Yield the defaults in a row: keys, in the table of all devices whose they are, and a value for each."""
    keys = re.findall(r"`(\w+)`", cells[0])
    if len(tables) > 1:
        tables = tables if cells[1] == "all" else cells[1].split(", ")
        cells = cells[1:]
    values = re.findall(r"`([^`]+)`", cells[1]) if re.fullmatch(r"`[^`]+`(, `[^`]+`)*", cells[1]) else []
    places = [(table, key) for key in keys for table in tables]
    if len(values) == 1:
        values *= len(places)
    for (table, key), value in zip(places, values, strict=bool(values)):
        yield table, structs_of(table), key, value


WRITTEN = list(written())


@pytest.mark.parametrize(("table", "structs", "key", "default"), WRITTEN, ids=[f"{at[0]}.{at[2]}" for at in WRITTEN])
def test_a_default_is_the_programs(table: str, structs: Structs, key: str, default: str) -> None:
    """Whoever leaves the key out has what the page says."""
    fields = [field for struct in structs for field in msgspec.structs.fields(struct) if field.encode_name == key]
    assert fields, f"there is no {table}.{key}"
    assert tomllib.loads(f"default = {default}")["default"] in [default_of(field) for field in fields]


def default_of(field: msgspec.structs.FieldInfo) -> Any:
    """The value of a key that is left out, as TOML has it."""
    default = field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
    return None if default is msgspec.NODEFAULT else msgspec.json.decode(msgspec.json.encode(default))


def test_the_page_says_most_defaults() -> None:
    """Each table's, the levels of doors and keys among them: a page that is read wrong would prove nothing."""
    found = {(table, key) for table, _structs, key, _default in WRITTEN}
    assert found >= {
        *{("pins.doors", "active"), ("pins.keys", "active"), ("pins.logic_latch", "reset_ms")},
        *{("hopper", "poll_ms"), ("tickets", "most_cents"), ("cabinet", "decimal"), ("pins.meters", "gap_ms")},
    }
    assert len(found) > 120
