"""The link's process: the supervisor's calls reach a real venue through it, enrolment included."""

import asyncio
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller import supervisor
from controller.features.venue.calls import FencedError, UnreachableError
from controller.features.venue.postgres import PostgresVenue
from controller.features.venue.relayed import SOCKET, Address, RelayedVenue
from tests.rigs.paths import ROOT
from tests.rigs.patience import PATIENCE_S

pytestmark = pytest.mark.processes


def test_a_supervisor_without_a_venue_imports_no_link() -> None:
    """Neither the link nor the client of PostgreSQL."""
    link = (
        "psycopg",
        *(f"controller.features.venue.{name}" for name in ("link", "relay", "keeper", "postgres", "calls")),
    )
    words = f"import sys, controller.supervisor; print([m for m in sys.modules if m.startswith({link!r})])"
    found = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True, cwd=ROOT)
    assert found.stdout == "[]\n"
    assert supervisor


@pytest.fixture
def relay(tmp_path: Path) -> Iterator[Path]:
    """A link's process for the supervisor in this folder."""
    arguments = [
        sys.executable,
        "-m",
        "controller.features.venue.relay",
        str(tmp_path / SOCKET),
        str(tmp_path / "state"),
    ]
    with subprocess.Popen(arguments, cwd=ROOT) as process:
        yield tmp_path
        process.terminate()


def test_a_call_goes_through_the_process_and_says_what_is_missing(relay: Path) -> None:
    """A cabinet that is not enrolled reads so; a wrong code is refused before anything is said to anybody."""

    async def calls() -> None:
        venue = RelayedVenue(relay / SOCKET, Address("127.0.0.1", 1, "venue"))
        listening = asyncio.create_task(venue.listen())
        said = ""
        until = time.monotonic() + PATIENCE_S
        while "not enrolled" not in said and time.monotonic() < until:
            try:
                await venue.hello(0, {}, 0, "ab" * 32, {})
            except UnreachableError as error:
                said = str(error)
            await asyncio.sleep(0.05)
        assert "not enrolled" in said
        with pytest.raises(FencedError, match="20 digits"):
            await venue.enrol("123", "ab" * 32, "test", "1")
        assert stat.S_IMODE((relay / SOCKET).stat().st_mode) == 0o660
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)

    asyncio.run(calls())


def test_what_the_state_folder_has_is_used_and_damage_is_named(tmp_path: Path) -> None:
    """Credentials that cannot be read name their file."""
    (tmp_path / "credentials.json").write_text("{")
    venue = PostgresVenue(Address("127.0.0.1", 1, "venue"), tmp_path)
    with pytest.raises(UnreachableError, match=r"credentials\.json cannot be used"):
        asyncio.run(venue.beat(1, {}))
