"""The cabinet's software proved at the start, when a door is shut, on demand: what locks, and what opens again."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from controller.features.update.installed import RELEASE
from controller.features.update.manifest import Progress
from controller.features.update.signing import SigningKey
from controller.features.update.trust import MOST_LISTED, accept, known_software
from controller.journal.faults import active_faults, clear_by_key
from controller.keys.identity import fingerprint
from tests.features.update.rig import software_of
from tests.rigs.installed_machine import KEY, PROVING, TAMPERED, Installed
from tests.rigs.installed_tree import GAME, put
from tests.rigs.machine import Rig


@asynccontextmanager
async def installed(folder: Path) -> AsyncIterator[Installed]:
    """A machine that has proved its software and waits in attract."""
    rig = Installed(folder)
    async with rig:
        await rig.proved()
        yield rig


@pytest.mark.requirement("P7", "S2")
async def test_nothing_is_played_and_no_money_taken_before_the_first_proof(tmp_path: Path) -> None:
    """At a start the screen says that the program is being verified; then the machine plays."""
    rig = Installed(tmp_path)
    await rig.start(until=None)
    assert software_of(rig).proving
    assert PROVING in rig.notices()
    assert rig.shown == "tilted"
    assert not rig.front.coins
    assert not rig.front.notes
    await rig.until("attract")
    await rig.proved()
    assert rig.front.coins
    assert rig.proofs.fresh == [False]
    assert rig.notices() == set()
    await rig.kill()


@pytest.mark.requirement("S1")
async def test_a_changed_byte_locks_before_the_first_stake(tmp_path: Path) -> None:
    """The screen names the file, the event holds all of them; nothing is staked, the credit stays."""
    rig = Installed(tmp_path)
    async with rig:
        await rig.game(2000)
        await rig.kill()
        rig.spoil()
        put(rig.tree.root, "/opt/cabinet/evil.pth")
        await rig.start(until="tilted")
        await rig.proved()
        (notice,) = (notice for notice in rig.screen.view.notices if notice.code == TAMPERED)
        assert (notice.who, notice.stops_play) == ("technician", True)
        assert notice.place == "…/python3.13/site-packages/games/neptune.py"
        assert await rig.events(TAMPERED) == [f"{GAME} was changed; /opt/cabinet/evil.pth was added"]
        for control in ("spin", "collect", "max_bet"):
            await rig.press(control)
        assert (rig.shown, rig.credit, rig.front.coins) == ("tilted", 2000, False)
        assert await rig.rows("SELECT count(*) FROM rounds") == [(0,)]


@pytest.mark.requirement("S1")
async def test_only_what_authenticates_again_can_be_cleared(tmp_path: Path) -> None:
    """Neither the technician's key nor restarts clear it; the file put back and proved, the technician does."""
    async with installed(tmp_path) as rig:
        good = rig.spoil()
        await rig.shut()
        assert TAMPERED in rig.notices()
        for _ in range(2):
            await rig.restart(until="tilted")
            (fault,) = [fault for fault in await rig.journal.do(active_faults) if fault.code == TAMPERED]
            assert fault.present
            await rig.proved()
            assert not await rig.journal.do(lambda tx: clear_by_key(tx, "technician"))
        assert len(await rig.events(TAMPERED)) == 1
        rig.mend(good)
        await rig.restart(until="tilted")
        await rig.proved()
        assert TAMPERED in rig.notices()
        assert await rig.events("software_proved") == [
            f"The software is as it was signed again; files: {rig.tree.installation.prove().files}"
        ]
        await rig.machine.journal.record(lambda tx: clear_by_key(tx, "technician") or None)
        await rig.until("attract")


@pytest.mark.requirement("S2")
@pytest.mark.parametrize(("door", "proofs"), [("main", 2), ("logic", 2), ("cash_box", 1)])
async def test_a_door_behind_which_the_program_lies_is_a_reason_to_prove(
    tmp_path: Path, door: str, proofs: int
) -> None:
    """Main and logic door, once they are shut again, from the medium and not from memory."""
    async with installed(tmp_path) as rig:
        await rig.shut(door)
        assert len(rig.proofs.fresh) == proofs
        assert all(rig.proofs.fresh[1:])


async def test_a_door_that_is_found_shut_at_the_start_is_none(tmp_path: Path) -> None:
    """The first report of a door's switch is its state, and not that somebody was there."""
    async with installed(tmp_path) as rig:
        await rig.door(name="main", is_open=False)
        assert rig.proofs.fresh == [False]


async def test_a_door_that_is_shut_during_a_proof_has_it_begun_anew(tmp_path: Path) -> None:
    """A proof that may have passed the place already says nothing: only the one after the door counts."""
    async with installed(tmp_path) as rig:
        good = rig.spoil()

        def mended_meanwhile(_progress: Progress) -> None:
            if len(rig.proofs.fresh) == 2:
                software_of(rig)._wanted.set()  # as a door would, on the event loop
                rig.mend(good)

        rig.proofs.before = mended_meanwhile
        await rig.shut()
        assert rig.proofs.fresh == [False, True, True]
        assert TAMPERED not in rig.notices()
        assert await rig.events(TAMPERED) == []


@pytest.mark.requirement("S2")
async def test_a_door_that_is_shut_while_a_proof_is_written_down_is_waited_for_too(tmp_path: Path) -> None:
    """What one proof has found does not open the machine while the next is under way."""
    async with installed(tmp_path) as rig:
        loop, software = asyncio.get_running_loop(), software_of(rig)
        held: list[bool] = []

        def shut() -> None:
            rig.proofs.written = lambda: None
            loop.call_soon_threadsafe(software.door_shut, "main")

        rig.proofs.before = lambda _progress: held.append(software.proving)
        rig.proofs.written = shut
        await rig.shut()
        await rig.until_true(lambda: len(held) == 2)
        assert held == [True, True]


async def test_a_round_goes_on_exactly_where_a_proof_found_it(tmp_path: Path) -> None:
    """A door and the proof after it interrupt a round and change nothing of it."""
    async with installed(tmp_path) as rig:
        await rig.game(2000)
        rig.screen.show_s = None
        await rig.press("spin")
        await rig.until("round")
        before = await rig.rows("SELECT id, stake_cents FROM rounds")
        rig.screen.show_s = 1.0
        await rig.shut()
        await rig.until("idle")
        assert await rig.rows("SELECT id, stake_cents FROM rounds WHERE state = 'settled'") == before
        assert len(rig.proofs.fresh) == 2


async def test_another_difference_is_recorded_in_place_of_the_one_before(tmp_path: Path) -> None:
    """The faults are what the newest proof has found, and each finding is an event of its own."""
    async with installed(tmp_path) as rig:
        good = rig.spoil()
        await rig.shut()
        rig.mend(good)
        put(rig.tree.root, "/opt/cabinet/evil.so")
        await rig.shut()
        faults = [fault for fault in await rig.journal.do(active_faults) if fault.code == TAMPERED]
        assert [(fault.place, fault.present) for fault in faults] == [("/opt/cabinet/evil.so", True)]
        assert await rig.events(TAMPERED) == [f"{GAME} was changed", "/opt/cabinet/evil.so was added"]


async def test_a_program_that_is_gone_fits_into_one_event(tmp_path: Path) -> None:
    """The event lists a hundred differences at most, and counts the rest."""
    async with installed(tmp_path) as rig:
        for number in range(MOST_LISTED + 20):
            put(rig.tree.root, f"/opt/cabinet/evil{number:03}.so")
        await rig.shut()
        (text,) = await rig.events(TAMPERED)
        assert text.count("was added") == MOST_LISTED
        assert text.endswith("and 20 more")


@pytest.mark.requirement("L7")
async def test_the_first_start_pins_the_keys_and_every_change_of_software_is_reported(tmp_path: Path) -> None:
    """A release by the same maker is known by its event and needs nobody's word."""
    async with installed(tmp_path) as rig:
        maker = fingerprint(rig.tree.maker.public_key)
        first, second = await rig.events("software_trusted")
        assert first == f"Key of the software (release): {maker}, the first that these books know"
        assert second.startswith("Key of the software (platform): ")
        put(rig.tree.root, GAME, "def play(): return 1\n")
        rig.tree.release(version="1.3.0")
        await rig.restart(until="attract")
        await rig.proved()
        assert rig.notices() == set()
        known = (await rig.journal.do(known_software))[RELEASE]
        assert known.version == "1.3.0"
        *_, text = await rig.events("software_known")
        assert text == "Software from now on: release 1.3.0, in place of 1.2.3"
        assert len(await rig.events("software_trusted")) == 2


async def test_another_key_locks_until_the_technician_has_accepted_it(tmp_path: Path) -> None:
    """Whoever signs anew with a key of his own cannot have it played by himself; the event names old and new."""
    async with installed(tmp_path) as rig:
        other = SigningKey.throwaway()
        rig.tree.release(other)
        await rig.restart(until="tilted")
        await rig.proved()
        assert rig.notices() == {KEY}
        newest = software_of(rig).newest
        assert newest is not None
        assert newest.verdict.is_authentic
        await rig.restart(until="tilted")
        await rig.proved()
        assert rig.notices() == {KEY}
        await rig.machine.journal.record(lambda tx: accept(tx, newest.verdict.authorities, "technician") or None)
        assert rig.notices() == set()
        *_, text = await rig.events("software_trusted")
        old, new = fingerprint(rig.tree.maker.public_key), fingerprint(other.public_key)
        assert text == f"Key of the software (release): {new} in place of {old}, accepted by the technician"
        await rig.restart(until="attract")
        await rig.proved()
        assert rig.notices() == set()


async def test_the_key_of_before_put_back_needs_nobody(tmp_path: Path) -> None:
    """Going back to what is trusted ends the lock by itself."""
    async with installed(tmp_path) as rig:
        rig.tree.release(SigningKey.throwaway())
        await rig.restart(until="tilted")
        await rig.proved()
        rig.tree.release()
        await rig.restart(until="attract")
        await rig.proved()
        assert rig.notices() == set()


async def test_a_machine_that_ends_breaks_its_proof_off(tmp_path: Path) -> None:
    """A stop in order does not wait for hundreds of megabytes."""
    rig = Installed(tmp_path)

    began, ended = threading.Event(), threading.Event()

    def endless(progress: Progress) -> None:
        began.set()
        try:
            while True:
                progress(1)
        finally:
            ended.set()

    rig.proofs.before = endless
    await rig.start(until=None)
    await asyncio.to_thread(began.wait)
    await rig.kill()
    assert await asyncio.to_thread(ended.wait, 60)


async def test_a_source_tree_has_nothing_to_prove(tmp_path: Path) -> None:
    """Demo and development: no verification delays play, and none is recorded."""
    async with Rig(tmp_path) as rig:
        assert not software_of(rig).is_installed
        assert not software_of(rig).proving
        assert await software_of(rig).verify_now() is None
        assert await rig.journal.do(known_software) == {}
