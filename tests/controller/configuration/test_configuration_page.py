"""The defaults on docs/configuration.md are those of the program."""

import re
import tomllib
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from controller.configuration.cabinet_toml import whole_file
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


def structs_of(table: str) -> Structs:
    """The structs whose keys are in that section of the page."""
    if table in DEVICES:
        return DEVICES[table]
    if table == "pins":
        return (Pins, *NESTED["pins"])
    (field,) = (field for field in msgspec.structs.fields(whole_file()) if field.name == table)
    kinds = [field.type, *getattr(field.type, "__args__", ())]
    own = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, msgspec.Struct)]
    return (*own, *NESTED.get(table, ()))


def items() -> Iterator[tuple[str, str]]:
    """Yield each item of a list on the page, on one line, with the heading that it is under."""
    heading, item = "", ""
    for line in PAGE.splitlines():
        if item and line.startswith("  "):
            item += f" {line.strip()}"
            continue
        if item:
            yield heading, item
        item = line if line.startswith("- ") else ""
        if line.startswith("#"):
            heading = line
    if item:
        yield heading, item


def written() -> Iterator[tuple[str, Structs, str, str]]:
    """Yield each default on the page: its table, the structs that may have the key, the key, and its TOML."""
    tables: list[str] = []
    for heading, item in items():
        if heading.startswith(("## ", "### [")):
            tables = [name for name in re.findall(r"\[(\w+)\]", heading) if name != "tower"]
        if named := re.match(r"- `\[(pins\.\w+)\]`: (.*)", item):
            yield from in_words(named[1], named[2])
        elif defaults := re.match(r"- (`\w+`(?:, `\w+`)*) = (`[^`]+`(?:, `[^`]+`)*): ", item):
            yield from in_code(tables, *defaults.groups())


def in_words(table: str, text: str) -> Iterator[tuple[str, Structs, str, str]]:
    """Yield the defaults in a sentence: `active`: …, 1 by default; `reset_ms` (1 to 500; 50)."""
    for keys, default in re.findall(r"(`\w+`(?: and `\w+`)?)[^`;]*?(\d+) by default", text):
        yield from ((table, ENTRIES[table], key, default) for key in re.findall(r"\w+", keys.replace(" and ", " ")))
    for key, default in re.findall(r"`(\w+)`[^`;(]*\((?:\d+ to \d+; )?(\d+)\)", text):
        yield table, ENTRIES[table], key, default


def in_code(tables: list[str], keys: str, defaults: str) -> Iterator[tuple[str, Structs, str, str]]:
    """Yield the defaults of an item: one for all keys, or one for each; `[host_port]` and its second one share them."""
    values = re.findall(r"`([^`]+)`", defaults)
    names = re.findall(r"`(\w+)`", keys)
    for table in tables:
        for key, value in zip(names, values * len(names) if len(values) == 1 else values, strict=True):
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
