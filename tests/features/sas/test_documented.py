"""The tables of docs/host-port.md, line by line: what is polled is answered so, in so many bytes, from those meters."""

import asyncio
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec
import pytest

from tests.rigs import sas_readings
from tests.rigs.hosted import HOSTS_TICKETS, HostedRig, HostsRig
from tests.rigs.paths import ROOT
from tests.rigs.power_cuts import Power
from tests.rigs.sas_fields import from_bcd
from tests.rigs.sas_frames import sealed
from tests.rigs.sas_host import SasHost

T = TypeVar("T")

PAGE = (ROOT / "docs" / "host-port.md").read_text()
MINUS = "\N{MINUS SIGN}"
CODE = re.compile(r"\b[0-9A-F]{2}\b")
RANGE = re.compile(r"\b([0-9A-F]{2}) to ([0-9A-F]{2})\b")
TICKETS = {0x3D, 0x4D, 0x50, 0x57, 0x58, 0x70, 0x71, 0x7B, 0x7C, 0x7D}
ACTED = {0x72, 0x73, 0x74, 0x94, 0xA8} | TICKETS
"""Polls with proofs of their own: transfers (tests/rigs/transfer_cuts.py), hand-pays, tickets (test_tickets.py)."""
DATA: Mapping[int, bytes] = {
    0x08: bytes.fromhex("FFFFFF0000"), 0x09: bytes.fromhex("000101"), 0x0E: b"\x00", 0x2D: bytes(2), 0x52: b"\0\1",
    0x53: b"\0\1", 0xA0: bytes(2), 0xB4: b"\0\1\0\1", 0xB5: b"\0\1", 0x94: b"", 0xA8: b"\x00",
    0x2F: b"\x03\0\0\0", 0x6F: b"\x04\0\0\0\0", 0xAF: b"\x04\0\0\0\0", 0xB0: b"\x02\0\x56",
    0x4D: b"\0", 0x50: b"\0", 0x58: bytes(9), 0x71: b"\x01\xff", 0x7B: b"\x08" + bytes(8), 0x7C: b"\0",
    0x7D: b"\x02\0\0",
    0x72: b"\x02\xff\0", 0x73: b"\x01\xff", 0x74: b"\xff\0\0\0", 0x7F: bytes.fromhex("01312026235958"),
}  # fmt: skip
"""What goes with a poll that wants something; the clock is set last."""
UNREACHABLE = {*range(0x3F, 0x46), 0x49, 0x4A, 0x7F}
"""Polls of the page that the host's own checks do not send."""
NOT_HERE = {0x4F, 0xB3}
"""Silent without a hopper, which this machine has not; on the pty there is one."""


class Row(NamedTuple):
    """A line of the table of polls."""

    polls: tuple[int, ...]
    types: tuple[str, ...]
    sizes: tuple[int | None, ...]
    what: str


def codes_in(cell: str) -> tuple[int, ...]:
    """The codes that a cell names, ranges included."""
    found: list[int] = []
    for part in cell.split(","):
        between = RANGE.search(part)
        ends = between.groups() if between else [code.group() for code in [CODE.search(part)] if code]
        found += range(int(ends[0], 16), int(ends[-1], 16) + 1) if ends else ()
    return tuple(found)


def cells(heading: str) -> Iterator[list[str]]:
    """The lines of the table with that heading."""
    for line in PAGE.partition(heading)[2].splitlines()[2:]:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in line.strip("|").split("|")]


def rows() -> list[Row]:
    """The table of polls."""
    return [
        Row(
            polls=(polls := codes_in(cell)),
            types=each(polls, [kind.strip() for kind in kinds.split(",")]),
            sizes=each(polls, [int(size) if size.strip() else None for size in sizes.split(",")]),
            what=what,
        )
        for cell, kinds, sizes, what in cells("| poll | type | bytes |")
    ]


def each(polls: tuple[int, ...], said: list[T]) -> tuple[T, ...]:
    """What a cell says of each poll: one for all, or one for each."""
    assert len(said) in (1, len(polls)), f"{polls}: {said}"
    return tuple(said * len(polls) if len(said) == 1 else said)


def meter_sources() -> dict[int, str]:
    """Where the page says that each meter comes from."""
    listed = PAGE.partition("select, and their sources:\n\n- ")[2].partition("\n\n")[0]
    found: dict[int, str] = {}
    for item in listed.split("\n- "):
        meters, source = " ".join(item.split()).split(": ", 1)
        found |= dict.fromkeys(codes_in(meters), source)
    return found


def asked(command: int) -> bytes:
    """That poll of the machine at address 1."""
    head = bytes([1, command])
    return head if command in _R else sealed(head + DATA.get(command, b""))


_R = {command for row in rows() for command, kind in zip(row.polls, row.types, strict=True) if kind == "R"}


async def played(rig: HostedRig) -> None:
    """Money, play, and a hand-pay."""
    await rig.game(2500)
    for _ in range(3):
        await rig.press("spin")
        await rig.until("idle")
    await rig.press("collect")
    await rig.until("handpay")
    await rig.turn_key("attendant")
    await rig.until_true(lambda: rig.credit == 0 and rig.shown != "handpay")
    await rig.game(1000)


@pytest.fixture
def rig(tmp_path: Path) -> HostsRig:
    """A machine that is not started yet."""
    return HostsRig(tmp_path, Power())


async def test_each_poll_is_answered_in_its_size_and_from_its_meters(rig: HostsRig) -> None:
    """The figures of polls of type R are those that 6F reads by the codes which the page names."""
    rig.config = msgspec.structs.replace(rig.config, tickets=HOSTS_TICKETS)
    await rig.start()
    host = SasHost(rig.joined.link, now=asyncio.get_running_loop().time)
    await played(rig)
    await host.collect()
    for row in sorted(rows(), key=lambda row: 0x7F in row.polls):
        named = codes_in(row.what) if CODE.match(row.what) else ()
        each_its_own = len(row.polls) > 1
        for place, command in enumerate(row.polls):
            if command in NOT_HERE:
                continue
            await host.confirm()
            heard = (await host.exchange(asked(command), command)).heard
            assert heard, f"{command:02X} is not answered"
            wanted = row.sizes[place]
            assert wanted in (None, len(heard)), f"{command:02X}: {heard.hex(' ')} has not {wanted} bytes"
            if command in _R and named and command not in (0x18, 0x1C):
                codes = named[place : place + 1] if each_its_own else named
                figures = [from_bcd(heard[at : at + 4]) for at in range(2, len(heard) - 2, 4)]
                assert figures == list((await host.read_meters(codes)).values()), f"{command:02X}"
    await rig.kill()


async def test_each_meter_comes_from_where_the_page_says(rig: HostsRig) -> None:
    """The sum of journal meters that its line names; what is not listed is not supported."""
    await rig.start()
    host = SasHost(rig.joined.link, now=asyncio.get_running_loop().time)
    await played(rig)
    sources = meter_sources()
    read = await host.read_meters(sorted(sources))
    known: dict[str, int] = dict(await rig.rows("SELECT name, value FROM meters"))  # type: ignore[arg-type]
    checked = 0
    for code, source in sources.items():
        assert read[code] is not None, f"{code:02X} is listed, and not supported"
        if source.startswith("0:"):
            assert read[code] == 0
        elif re.fullmatch(rf"[`a-z_ +{MINUS}]+(in cents)?", source) and "`" in source:
            terms = re.findall(rf"({MINUS}?) ?`([a-z_]+)`", source)
            figure = sum((-1 if sign else 1) * known.get(name, 0) for sign, name in terms)
            assert read[code] == figure, f"{code:02X}: {source}"
            checked += 1
    assert checked >= 14
    others = [code for code in range(0x100) if code not in sources]
    assert set((await host.read_meters(others)).values()) == {None}
    await rig.kill()


async def test_the_hosts_own_checks_send_every_documented_poll_but_a_few(rig: HostsRig) -> None:
    """Those checks, which it does on a pty too, send each row's polls, but for those that are left to this file."""
    await rig.start()
    host = SasHost(rig.joined.link, now=asyncio.get_running_loop().time)
    await played(rig)
    await host.collect()
    await sas_readings.check_meters(host, rig.rows)
    await sas_readings.check_last_note(host, rig.rows)
    await sas_readings.check_games(host, rig.rows, ["neptune"])
    await sas_readings.check_identity(host)
    await sas_readings.check_orders(host)
    heard = {done.sent[1] for done in host.exchanges if len(done.sent) > 1 and done.heard} | ACTED | NOT_HERE
    wrong = {
        row.polls: [f"{one:02X}" for one in row.polls if one not in heard]
        for row in rows()
        if UNREACHABLE.isdisjoint(row.polls) != (set(row.polls) <= heard)
    }
    assert not wrong
    await rig.kill()
