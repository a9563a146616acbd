"""U.7: who vouches for the software, a proof on demand, and another key that the technician accepts."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from controller.features.update.signing import SigningKey
from controller.keys.identity import fingerprint
from tests.features.update.rig import software_of
from tests.rigs.installed_machine import KEY, TAMPERED, Installed
from tests.rigs.installed_tree import GAME
from tests.rigs.machine import Rig
from tests.rigs.service_menu import Hand
from ui.protocol.messages import ServiceRow

VERIFY, NEW_KEY = "Verify the software now", "New signing key of the {place}"


@asynccontextmanager
async def technician(folder: Path, rig: Installed | None = None) -> AsyncIterator[tuple[Installed, Hand]]:
    """An installed cabinet with its main door open, and a technician on U.7."""
    rig = rig or Installed(folder)
    async with rig:
        await rig.proved()
        hand = Hand(rig)
        await rig.door(is_open=True)
        await hand.technician()
        await hand.go("U.7")
        yield rig, hand


def rows(hand: Hand) -> dict[tuple[str, str], ServiceRow]:
    """Return the page's rows by label and place."""
    return {(row.label, row.place): row for row in hand.page.rows}


async def verified(rig: Rig, hand: Hand) -> dict[tuple[str, str], ServiceRow]:
    """Have the software verified, and return the rows of what was found."""
    await hand.enter(VERIFY)
    await rig.until_true(lambda: hand.page.code == "U.7.2")
    return rows(hand)


@pytest.mark.requirement("S4")
async def test_the_page_shows_who_vouches_for_what_runs(tmp_path: Path) -> None:
    """Key, version and manifest of the release and of the platform, and how the newest proof ended."""
    async with technician(tmp_path) as (rig, hand):
        found = rows(hand)
        program = "program of this machine"
        assert found["Newest proof", ""].value == "as it was signed"
        assert found["Signing key of the {place}", program].value == fingerprint(rig.tree.maker.public_key)
        assert found["{place}", program].detail == "1.2.3"
        newest = software_of(rig).newest
        assert newest is not None
        digest = newest.verdict.authorities["release"].manifest_sha256
        assert digest.startswith(found["{place}", program].value)
        assert ("Signing key of the {place}", "system under the program") in found


async def test_a_source_tree_says_that_nobody_signed_it(tmp_path: Path) -> None:
    """A demo claims nothing, and offers nothing to verify."""
    async with Rig(tmp_path) as rig:
        hand = Hand(rig)
        await hand.technician()
        await hand.go("U.7")
        assert rows(hand)["Signed software", ""].value == "none: this is a source tree"
        assert (VERIFY, "") not in rows(hand)


@pytest.mark.requirement("S1")
async def test_a_proof_on_demand_reads_the_medium_and_shows_every_file(tmp_path: Path) -> None:
    """The technician sees each difference, the event who asked; what is wrong locks as at a start."""
    async with technician(tmp_path) as (rig, hand):
        found = await verified(rig, hand)
        assert (found["Newest proof", ""].value, found["Differences", ""].count) == ("as it was signed", 0)
        assert rig.proofs.fresh == [False, True]
        rig.spoil()
        await rig.press("collect")
        found = await verified(rig, hand)
        assert found["{place}", GAME].value == "was changed"
        assert TAMPERED in rig.notices()
        good, bad = await rig.events("software_proved")
        assert good.endswith(", differences: 0")
        assert bad.startswith("Software verified for the technician; files: ")
        assert bad.endswith(", differences: 1")


async def test_the_technician_accepts_another_key_before_the_open_door(tmp_path: Path) -> None:
    """Key, PIN and main door, asked twice; then the machine plays, and the event names both keys."""
    rig = Installed(tmp_path)
    async with rig:
        await rig.proved()
    other = SigningKey.throwaway()
    rig.tree.release(other)
    await rig.start(until="tilted")
    await rig.proved()
    assert rig.notices() == {KEY}
    hand = Hand(rig)
    await hand.technician()
    await hand.go("U.7")
    for door, said in ((False, "Open the main door first"), (True, "The key is trusted from now on")):
        await rig.door(is_open=door)
        await hand.enter(NEW_KEY)
        for _ in range(2):
            await rig.press("lines")
            await rig.press("spin")
        assert await hand.result() == said
    assert KEY not in rig.notices()
    old, new = fingerprint(rig.tree.maker.public_key), fingerprint(other.public_key)
    *_, event = await rig.events("software_trusted")
    assert event == f"Key of the software (release): {new} in place of {old}, accepted by the technician"
    assert (NEW_KEY, "program of this machine") not in rows(hand)
    await rig.kill()
