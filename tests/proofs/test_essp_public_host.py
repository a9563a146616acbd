"""A public eSSP library as host of the simulated devices: keys, identity, a note from escrow to credit, a payout.

The library is npm's `encrypted-smiley-secure-protocol`, by other people than this project's; it is fetched, and none of
its code is here. Without node, npm or a registry the proof is skipped.
"""

import asyncio
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from drivers.simulated.line import LineDevice
from drivers.simulated.pty_line import PtyLine
from drivers.simulated.ssp.bill_validator import SimulatedSspValidator, SspHabits
from drivers.simulated.ssp.recycler import SimulatedRecycler
from drivers.simulated.ssp.smart_hopper import SimulatedSmartHopper
from tests.rigs.needing import skip

pytestmark = pytest.mark.proof

LIBRARY = "encrypted-smiley-secure-protocol"
VERSION = "0.0.11"
SCRIPT = Path(__file__).with_name("essp_public_host.js")
MAKERS_KEY, OTHER_KEY = "0123456701234567", "0011223344556677"
NOTE, PAID, NOTES_PAID = 2000, 300, 3000
FETCH_S, TALK_S = 120.0, 60.0


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that has the library, fetched from its registry."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        skip("node and npm are not installed", "apt-get install nodejs npm")
    folder = tmp_path_factory.mktemp("essp")
    fetched = subprocess.run(
        [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), f"{LIBRARY}@{VERSION}"],
        capture_output=True,
        text=True,
        timeout=FETCH_S,
        check=False,
    )
    if fetched.returncode:
        skip(f"{LIBRARY} {VERSION} cannot be fetched ({fetched.stderr.strip()[-200:]})", "run it with a way to npm")
    shutil.copy(SCRIPT, folder)
    return folder


async def talk(
    library: Path, device: LineDevice, *, address: int, key: str = MAKERS_KEY, cents: int = 0, act: Callable[[], object]
) -> list[tuple[str, Any]]:
    """Return what the library reports of a device on a pty; `act` is done once it has enabled it."""
    line = PtyLine(device, library / "port")
    device.power(on=True)
    await asyncio.sleep(3.0)
    node = await asyncio.create_subprocess_exec(
        "node", SCRIPT.name, str(line.link_path), str(address), key, str(cents), cwd=library, stdout=subprocess.PIPE
    )
    assert node.stdout is not None
    said = []
    try:
        async with asyncio.timeout(TALK_S):
            async for text in node.stdout:
                one = json.loads(text)
                said.append((one["what"], one["info"]))
                if one["what"] == "ENABLE":
                    act()
            assert await node.wait() == 0
    finally:
        if node.returncode is None:
            node.kill()
            await node.wait()
        device.power(on=False)
        line.unplug()
    return said


def run(scene: Any) -> Any:
    """Run on a loop with the computer's own time: another program is at the other end."""
    return asyncio.run(scene)


def answered(said: list[tuple[str, Any]]) -> set[str]:
    """The commands that were answered with OK."""
    return {what for what, info in said if info.get("status") == "OK"}


def test_a_validator_agrees_on_a_key_and_a_note_is_credited_once(
    library: Path, record_property: Callable[[str, object], None]
) -> None:
    """Everything after the exchange is enciphered; the note of 20 is read as channel 3, credited once and stacked."""
    stacked: list[Any] = []
    device = SimulatedSspValidator(
        returned=stacked.append, stacked=stacked.append, habits=SspHabits(encrypts=True, acknowledges=True)
    )
    said = run(talk(library, device, address=0, act=lambda: device.insert(NOTE)))
    facts = dict(said)
    assert facts["KEY"] == {"agreed": True}
    assert facts["SETUP_REQUEST"]["info"]["unit_type"] == "Banknote validator"
    assert facts["SETUP_REQUEST"]["info"]["expanded_channel_value"] == [5, 10, 20, 50]
    assert facts["CHANNEL_VALUE_REQUEST"]["info"]["value"] == [5, 10, 20, 50]
    assert facts["CHANNEL_VALUE_REQUEST"]["info"]["country_code"] == ["EUR"] * 4
    assert facts["UNIT_DATA"]["info"]["country_code"] == "EUR"
    assert {
        "HOST_PROTOCOL_VERSION",
        "CHANNEL_SECURITY_DATA",
        "GET_SERIAL_NUMBER",
        "SET_CHANNEL_INHIBITS",
        "ENABLE",
        "DISABLE",
    } <= answered(said)
    assert [info["channel"] for what, info in said if what == "CREDIT_NOTE"] == [3]
    assert stacked == [NOTE]
    record_property("proof", f"{LIBRARY} {VERSION}: key agreed, {len(said)} reports, one note credited")


def test_a_smart_hopper_pays_what_it_is_asked_for(
    library: Path, record_property: Callable[[str, object], None]
) -> None:
    """Levels, enable and a payout of three euros, enciphered; what leaves is what was asked for."""
    tray: list[int] = []
    device = SimulatedSmartHopper(stock={100: 20, 200: 20}, coin_out=tray.append)
    said = run(talk(library, device, address=16, cents=PAID, act=lambda: None))
    assert {"SETUP_REQUEST", "GET_ALL_LEVELS", "ENABLE", "PAYOUT_AMOUNT", "DISABLE"} <= answered(said)
    assert "DISPENSED" in dict(said)
    assert sum(tray) == PAID
    record_property("proof", f"{LIBRARY} {VERSION}: SMART Hopper paid {sum(tray)} cents in {len(tray)} coins")


def test_a_recycler_stores_a_note_and_pays_with_it(
    library: Path, record_property: Callable[[str, object], None]
) -> None:
    """A note of 20 is credited once and stored; 30 are paid with it and one of 10, and nothing falls into the box."""
    tray: list[int] = []
    boxed: list[Any] = []
    device = SimulatedRecycler(returned=boxed.append, stacked=boxed.append, note_out=tray.append, stored={1000: 2})
    said = run(talk(library, device, address=0, cents=NOTES_PAID, act=lambda: device.insert(NOTE)))
    assert dict(said)["SETUP_REQUEST"]["info"]["unit_type"] == "SMART payout fitted"
    assert {
        "SET_DENOMINATION_ROUTE",
        "ENABLE_PAYOUT_DEVICE",
        "ENABLE",
        "GET_ALL_LEVELS",
        "PAYOUT_AMOUNT",
        "DISABLE",
    } <= answered(said)
    assert [info["channel"] for what, info in said if what == "CREDIT_NOTE"] == [3]
    assert [what for what, _ in said].count("NOTE_STORED_IN_PAYOUT") == 1
    assert "DISPENSED" in dict(said)
    assert (sorted(tray), boxed) == ([1000, NOTE], [])
    assert {value: notes for value, notes in device.store.held.items() if notes} == {1000: 1}
    record_property("proof", f"{LIBRARY} {VERSION}: recycler stored a note of {NOTE} cents and paid {sum(tray)} cents")


def test_another_fixed_key_opens_nothing(library: Path) -> None:
    """The exchange works, for it is not secret; nothing that is enciphered under the other key is obeyed."""
    device = SimulatedSspValidator(
        returned=lambda _paper: None, stacked=lambda _paper: None, habits=SspHabits(encrypts=True, acknowledges=True)
    )
    with pytest.raises((TimeoutError, AssertionError)):
        run(talk(library, device, address=0, key=OTHER_KEY, act=lambda: device.insert(NOTE)))
