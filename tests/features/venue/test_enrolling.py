"""A cabinet enrols by a code over the network: with its own venue, and with nobody else."""

import asyncio
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from controller.features.venue.calls import Enrolled, FencedError, VenueError
from controller.features.venue.postgres import PostgresVenue
from controller.features.venue.relayed import Address
from tests.rigs.man_in_between import ManInBetween
from tests.rigs.venue_machine import VenueMachine
from venue.authority import AuthorityFiles, make_authority, make_server_certificate

pytestmark = pytest.mark.processes
IDENTITY = "ab" * 32


@pytest.fixture(scope="module")
def machine() -> Iterator[VenueMachine]:
    """Yield a venue's machine, reached as localhost."""
    with VenueMachine() as made:
        made.init()
        made.restart()
        yield made


def enrol(port: int, folder: Path, code: str, identity: str = IDENTITY) -> Enrolled:
    """Enrol at a port of this machine, as the link's process does."""
    venue = PostgresVenue(Address("localhost", port, "venue"), folder)
    return asyncio.run(venue.enrol(code, identity, "Bar", "1.0"))


async def greeted(port: int, folder: Path) -> int:
    """Begin a session with what the enrolment has left in `folder`; return the number."""
    venue = PostgresVenue(Address("localhost", port, "venue"), folder)
    try:
        return (await venue.hello(0, {}, 0, IDENTITY, {})).cabinet
    finally:
        await venue.close()


def test_a_code_gives_login_and_authority(machine: VenueMachine, tmp_path: Path) -> None:
    """A mistyped code enrols nothing and uses none up; the right one is good once, and its gifts are kept secret."""
    code = machine.code()
    for wrong in (code[:-1] + str((int(code[-1]) + 1) % 10), f"{(int(code[:3]) + 500) % 1000:03d}{code[3:]}"):
        with pytest.raises(FencedError, match="make a new one on the venue's page"):
            enrol(machine.server.port, tmp_path, wrong)
    assert not list(tmp_path.iterdir())
    first = enrol(machine.server.port, tmp_path, f"{code[:4]} {code[4:]}")
    assert first.role == f"cab_{first.cabinet}"
    assert (tmp_path / "authority.pem").read_text() == (machine.keys / "authority.pem").read_text()
    assert {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()} == {0o600}
    assert asyncio.run(greeted(machine.server.port, tmp_path)) == first.cabinet
    with pytest.raises(FencedError, match="make a new one"):
        enrol(machine.server.port, tmp_path, code, "cd" * 32)


def test_a_machine_in_between_gets_nothing(machine: VenueMachine, tmp_path: Path) -> None:
    """One that relays every packet has another certificate: both ends notice, and the code stays good."""
    code = machine.code()
    files = AuthorityFiles(tmp_path / "other")
    make_authority(files, "Other", datetime.now(UTC))
    make_server_certificate(files, ["localhost"], datetime.now(UTC))
    folder = tmp_path / "cabinet"
    with ManInBetween(machine.server.port, files.server_certificate, files.server_key) as between:
        with pytest.raises(VenueError):
            enrol(between.port, folder, code, "12" * 32)
        assert b"SCRAM-SHA-256-PLUS" in between.seen
        assert code[3:].encode() not in between.seen
    assert not folder.exists()
    assert enrol(machine.server.port, folder, code, "12" * 32).cabinet > 0


def test_a_server_that_asks_for_no_proof_is_no_venue(machine: VenueMachine, tmp_path: Path) -> None:
    """One that lets everybody in, or asks for the password itself, does not know the code: it is told nothing."""
    code = machine.code()
    hba = machine.server.data / "pg_hba.conf"
    before = hba.read_text()
    try:
        for method in ("trust", "password"):
            hba.write_text(f"hostssl venue enrol_{code[:3]} all {method}\n{before}")
            machine.restart()
            with pytest.raises(VenueError, match="channel binding"):
                enrol(machine.server.port, tmp_path, code, "34" * 32)
    finally:
        hba.write_text(before)
        machine.restart()
    assert not list(tmp_path.iterdir())
