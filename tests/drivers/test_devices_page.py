"""The tables of docs/devices.md name what the drivers really take, files that are there, and sums that add up."""

import re
from typing import Any, get_args

import msgspec
import pytest
from escpos.capabilities import CAPABILITIES

from controller.configuration.fields import choices_of, type_at, type_info
from drivers.validator_protocols import ticket_readers, validator_protocols
from drivers.wiring import (
    PULSE_ACCEPTORS,
    BillValidator,
    Hopper,
    HopperSecurity,
    TicketPrinter,
    Wiring,
)
from tests.rigs.markdown import Row, table, tables
from tests.rigs.paths import ROOT

PAGE = (ROOT / "docs" / "devices.md").read_text(encoding="utf-8")
WIRING = (ROOT / "docs" / "wiring.md").read_text(encoding="utf-8")
TRIED = dict(re.findall(r"^- (.+): (`drivers/.+`)$", PAGE.partition("## What was tried")[2], re.MULTILINE))
"""The files of each protocol's driver and simulated device."""
HOPPERS = table(PAGE, "make and model", "`security`")
VALIDATORS = table(PAGE, "make and model", "`protocol`")
PULSES = table(PAGE, "make and model", "inhibit line")
PRINTERS = table(PAGE, "make and model", "`link`")
MODELS = [rows for rows in tables(PAGE) if rows and "make and model" in rows[0]]
ITEMS = table(PAGE, "item", "cheap", "street", "casino-like")
BUILDS = ("cheap", "street", "casino-like")
ASK = "ask the seller"
LINK = re.compile(r"\[[^\]]+\]\((https?://[^)\s]+)\)")
PRICE = re.compile(r"(US\$|£|€) ([\d.]+)(?: to ([\d.]+))?")
RATES = {"US$": 1.0} | {
    sign: float(rate) for sign, rate in re.findall(r"([£€]) 1 (?:counts )?as US\$ ([\d.]+\d)", " ".join(PAGE.split()))
}
"""US$ for one pound and one euro, as the page assumes."""


def quoted(cell: str) -> list[Any]:
    """Return the values of `cabinet.toml` that a cell has in code."""
    return re.findall(r'`"([^"]+)"`', cell)


def field(table_of: type[msgspec.Struct], name: str) -> tuple[Any, ...]:
    """Return what a key of `cabinet.toml` may be."""
    (kind,) = [field.type for field in msgspec.structs.fields(table_of) if field.name == name]
    return get_args(kind)


def test_every_protocol_of_a_bill_validator_has_models_and_no_other() -> None:
    """What `[bill_validator] protocol` takes is what the table and the list of trials name."""
    listed = {value for row in VALIDATORS for value in quoted(row["`protocol`"])}
    assert listed == set(validator_protocols())
    tried = {match for protocol in TRIED for match in re.findall(r"`(\w+)`, bill validator", protocol)}
    assert tried == listed


DEVICES = {
    "coin_acceptor": ("coin acceptor", "coin changer"),
    "bill_validator": ("bill validator",),
    "hopper": ("hopper", "SMART Hopper", "note recycler", "tubes of a coin changer"),
    "ticket_printer": ("ticket printer",),
}
"""What the list of trials calls the device of each table of cabinet.toml."""


def spoken(table_of: type[msgspec.Struct]) -> tuple[str | int, ...]:
    """Return the protocols that a device's table takes; a table without the key has ccTalk alone."""
    has = "protocol" in table_of.__struct_fields__
    return choices_of(type_at(type_info(table_of), "protocol")) if has else ("cctalk",)


def test_every_protocol_that_a_table_takes_was_tried_and_has_models() -> None:
    """A new device or protocol of `cabinet.toml` is in the list of trials, and some model's table is about it."""
    tables_of = {one.name: one.type for one in msgspec.structs.fields(Wiring) if one.name != "pins"}
    assert set(DEVICES) == set(tables_of), "a new table of cabinet.toml: name its device here, and list models"
    for name, kind in tables_of.items():
        (struct,) = [one for one in get_args(kind) if one is not type(None)]
        for protocol in spoken(struct):
            called = {f"ccTalk, {word}" if protocol == "cctalk" else "" for word in DEVICES[name]}
            called |= {f"`{protocol}`, {word}" for word in DEVICES[name]}
            assert called & TRIED.keys(), f"[{name}] {protocol} was not tried"
            sections = [text for text in PAGE.split("\n## ")[1:] if f"`[{name}]`" in text and "make and model" in text]
            assert any(
                f'`"{protocol}"`' in text or f'`protocol = "{protocol}"`' in text or len(spoken(struct)) == 1
                or (protocol == "cctalk" and "ccTalk" in text.partition("\n")[0])
                for text in sections
            ), f"no model of [{name}] {protocol}"  # fmt: skip


def test_every_kind_of_pulse_acceptor_has_models() -> None:
    """Coin and note, as `[pins.pulse]` has them; each was tried with the simulated one."""
    assert {row["kind"] for row in PULSES} == set(PULSE_ACCEPTORS)
    assert [tried for tried in TRIED if "pulses" in tried] == ["pulses, coins and notes"]
    assert all(f"`[pins.pulse.{kind}]`" in PAGE for kind in PULSE_ACCEPTORS)


@pytest.mark.parametrize("row", VALIDATORS, ids=lambda row: row["make and model"])
def test_a_validators_protocol_is_taken_and_reads_tickets_as_its_driver_does(row: Row) -> None:
    """The value decodes as `cabinet.toml` would have it."""
    (protocol,) = quoted(row["`protocol`"])
    fitted = msgspec.convert({"port": "/dev/ttyS0", "protocol": protocol}, BillValidator)
    assert row["reads tickets"] == ("yes" if fitted.protocol in ticket_readers() else "no")


def test_the_hoppers_security_is_one_that_the_driver_has() -> None:
    """Every kind has a model; one that nobody named is the seller's to say."""
    listed = [value for row in HOPPERS for value in quoted(row["`security`"]) or [ASK]]
    assert set(listed) - {ASK} == set(get_args(HopperSecurity))
    for value in set(listed) - {ASK}:
        msgspec.convert({"port": "/dev/ttyS0", "coin_value_cents": 100, "security": value}, Hopper)
    assert all(quoted(row["`security`"]) or row["`security`"] == ASK for row in HOPPERS)


def test_the_printers_links_and_profiles_are_ones_that_the_driver_takes() -> None:
    """`link` as `cabinet.toml` has it, `profile` as python-escpos has it; each way of reporting is the driver's."""
    links = {value for row in PRINTERS for value in quoted(row["`link`"])}
    assert links == set(field(TicketPrinter, "link"))
    (protocol,) = field(TicketPrinter, "protocol")
    assert [tried for tried in TRIED if "printer" in tried] == [f"`{protocol}`, ticket printer"]
    for row in PRINTERS:
        (profile,) = quoted(row["`profile`"])
        assert profile in CAPABILITIES["profiles"]
        assert row["reports by"] in ("`GS ( H`", "`GS r`", ASK)


def test_what_was_tried_names_files_that_are_there_and_no_hardware() -> None:
    """Driver, simulated device and tests of each exist; nobody may forget to say when hardware was tried."""
    assert "**No real device has been on these drivers yet**; all were tried with simulated ones." in PAGE
    for files in TRIED.values():
        driver, simulated = re.findall(r"`(drivers/[\w./]+)`", files)
        assert simulated.startswith("drivers/simulated/")
        tests = (ROOT / "tests" / driver).parent
        assert [path for path in (ROOT / driver, ROOT / simulated, tests) if not path.exists()] == []


@pytest.mark.parametrize("page", [PAGE, WIRING], ids=["devices.md", "wiring.md"])
def test_no_citation_is_without_its_address(page: str) -> None:
    """Each is written beside its words."""
    assert re.findall(r"\[[^\]]+\]\[[\w-]+\]", page) == []
    assert LINK.search(page)


def test_every_model_has_its_source() -> None:
    """A model without a public page says so."""
    assert len(MODELS) == 7
    for row in [row for rows in MODELS for row in rows]:
        assert LINK.search(row["source"]) or row["source"] == ASK
        assert all(row.values())


def test_every_section_of_models_says_how_they_are_wired() -> None:
    """By sections of wiring.md that are there."""
    sections = {
        re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
        for title in re.findall(r"^#+ (.+)$", WIRING, flags=re.MULTILINE)
    }
    about = [text.partition("| make and model")[0] for text in PAGE.split("\n## ") if "make and model" in text]
    assert len(about) == len(MODELS)
    for text in about:
        named = re.findall(r"\]\(wiring\.md#([\w-]+)\)", text.partition("Wiring:")[2])
        assert named
        assert set(named) <= sections


def ends(cell: str) -> tuple[float, float]:
    """Return what a price is at the least and at the most, in US$ by the page's own rates."""
    match = PRICE.fullmatch(cell.strip("*"))
    assert match is not None, cell
    rate = RATES[match[1]]
    return rate * float(match[2]), rate * float(match[3] or match[2])


def number(row: Row, build: str) -> int:
    """Return how many of an item a build has."""
    return 0 if row[build] == "\N{EN DASH}" else int(row[build])


@pytest.mark.parametrize("build", BUILDS)
def test_the_sums_of_a_shopping_list(build: str) -> None:
    """Each line is bought as often as it says, and is in the sum of all and in that of what it is known by."""
    *items, priced, estimated, total = ITEMS
    for row, known in ((priced, ("price",)), (estimated, ("estimate",)), (total, ("price", "estimate"))):
        bought = [(number(item, build), *ends(item["each"])) for item in items if item["known by"] in known]
        low, high = (round(sum(line[0] * line[end] for line in bought)) for end in (1, 2))
        assert ends(row[build]) == (low, high)
    assert {item["known by"] for item in items} == {"price", "estimate"}


def test_no_price_is_without_its_page_and_no_estimate_without_its_basis() -> None:
    """A price has a page and its year, or says that it has none; an estimate has pages, or says that it is a guess."""
    for item in ITEMS[:-3]:
        assert LINK.search(item["from"]) or (item["known by"], item["from"]) == ("estimate", "a guess")
        if item["known by"] == "price":
            assert re.search(r"20\d\d|undated", item["from"])


@pytest.mark.parametrize("build", BUILDS)
def test_the_supplies_of_a_build_are_those_of_its_power_budget(build: str) -> None:
    """What is bought is what wiring.md computes."""
    supply = table(WIRING, "load", "from")[-1]
    bought = {item["item"] for item in ITEMS[:-3] if number(item, build)}
    wanted = {match for item in bought for match in re.findall(r"(\d+) V of ([\d.]+) A", item)}
    columns = [re.fullmatch(rf"{build}, (\d+) V", column) for column in supply]
    assert wanted == {(column[1], supply[column.group()]) for column in columns if column}
