"""Bill validators of each language under the same misfortunes: ID-003, SSP with and without acks, ccTalk and EBDS."""

import random
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from drivers.capabilities import Verdict
from drivers.errors import NoReplyError
from drivers.simulated.cctalk.bill_validator import BillHabits
from drivers.simulated.ebds.bill_validator import EbdsHabits
from drivers.simulated.id003.bill_validator import Habits
from drivers.simulated.misbehaviour import Kind, Misbehaviour, Way
from drivers.simulated.ssp.bill_validator import SspHabits
from tests.rigs.bill_rig import NOTE, RESTS, SILENT, STACKS, DeviceRig, KilledError, check_accounted, until_stacking
from tests.rigs.known_protocols import known, on_own_lines
from tests.rigs.validator_rigs import (
    DEVICES,
    LANGUAGES,
    MakeRig,
    cctalk,
    drilled,
    ebds,
    id003,
    known_of,
    slices,
    ssp,
)

pytestmark = pytest.mark.sampled(4)

STACKS_AFTER_CUT = {
    "ssp-stacks": ssp(SspHabits(returns_after_cut=False)),
    "ssp-acknowledges-stacks": ssp(SspHabits(acknowledges=True, returns_after_cut=False)),
    "cctalk-stacks": cctalk(BillHabits(returns_after_cut=False)),
    "ebds-numbers": ebds(EbdsHabits(extended=False, reports_uncredited=True)),
}
ID003 = {
    "id003": id003(Habits()),
    "id003-silent": id003(SILENT),
    "id003-stacks": id003(STACKS),
    "id003-rests": id003(RESTS),
}
EACH = pytest.mark.parametrize("make", DEVICES.values(), ids=DEVICES)
UNNUMBERED = [name for name in LANGUAGES if not known_of(name).NUMBERS_EVENTS]
EVERY = pytest.mark.parametrize("name", LANGUAGES)
DRILLED = pytest.mark.parametrize("name", drilled(LANGUAGES))
PHASES = 3
SLICES = slices(PHASES)
"""Each moment of a drill belongs to one phase; the checks run the first one, `make proofs` all of them."""


async def run_rig(make: MakeRig, scene: Callable[[DeviceRig[Any]], Awaitable[None]]) -> DeviceRig[Any]:
    """Boot a rig, play the scene, end everything."""
    rig = make(None)
    await rig.start()
    await scene(rig)
    return await rig.end()


@EACH
async def test_notes_are_credited_once_each(make: MakeRig) -> None:
    """One note after another: each journaled before it is stacked, credited once, and closed."""

    async def scene(rig: DeviceRig[Any]) -> None:
        for cents in (500, 5000, 2000):
            rig.device.insert(cents)
            await rig.settle()

    rig = await run_rig(make, scene)

    assert (rig.stacked, rig.books.credit_cents, rig.books.open_items) == ([500, 5000, 2000], 7500, [])
    assert rig.books.escrow is None
    assert rig.books.calls.index("escrow 500") < rig.books.calls.index("stacked")


@EACH
async def test_a_refused_note_is_returned(make: MakeRig) -> None:
    """A verdict of RETURN sends it back, and nothing is credited."""

    async def scene(rig: DeviceRig[Any]) -> None:
        rig.books.verdict = Verdict.RETURN
        rig.device.insert(NOTE)
        await rig.settle()

    rig = await run_rig(make, scene)

    assert (rig.returned, rig.stacked, rig.books.credit_cents) == ([NOTE], [], 0)
    assert rig.books.reasons[-1] == "it was not taken"


@EACH
async def test_a_verdict_that_takes_long_is_waited_for(make: MakeRig) -> None:
    """The note is held as long as the verdict takes, and then stacked."""

    async def scene(rig: DeviceRig[Any]) -> None:
        rig.books.verdict_after_s = 45.0
        rig.device.insert(NOTE)
        await rig.settle(40)
        assert rig.device.slot == "escrow"
        await rig.settle(20)

    rig = await run_rig(make, scene)

    check_accounted(rig)
    assert rig.books.credit_cents == NOTE


@EACH
async def test_only_the_accepted_notes_are_taken(make: MakeRig) -> None:
    """A note that is inhibited goes back by itself; with none accepted nothing is drawn in."""

    async def scene(rig: DeviceRig[Any]) -> None:
        assert rig.driver is not None
        rig.driver.accept(frozenset({500}))
        await rig.settle(3)
        rig.device.insert(NOTE)
        await rig.settle()
        rig.driver.accept(frozenset())
        await rig.settle(3)
        rig.device.insert(500)
        assert rig.device.slot == ""
        await rig.settle()

    rig = await run_rig(make, scene)

    assert (rig.returned, rig.stacked, rig.books.credit_cents) == ([NOTE, 500], [], 0)


@DRILLED
@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("way", list(Way))
@pytest.mark.parametrize("frames", [1, 3])
@pytest.mark.parametrize("phase", SLICES)
async def test_every_frame_of_a_notes_life_goes_wrong(name: str, phase: int, kind: Kind, way: Way, frames: int) -> None:
    """Whatever happens to the frames at any moment, a stacked note is credited once and a returned one is not."""

    async def main(after_s: float) -> DeviceRig[Any]:
        misbehaviour = Misbehaviour(delay_s=1.2)
        rig = LANGUAGES[name](misbehaviour)
        await rig.start()
        rig.device.insert(NOTE)
        await rig.settle(after_s)
        misbehaviour.inject(kind, frames, way=way)
        await rig.settle(30)
        return await rig.end()

    for fifths in range(phase, 10, PHASES):
        rig = await main(fifths / 5)
        check_accounted(rig)
        # Three questions without an answer end a ccTalk dialogue; whoever comes next gives back what is held.
        assert rig.books.credit_cents == NOTE or rig.deaths


@DRILLED
@pytest.mark.parametrize("sent", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("down_s", [0.05, 2.0, 40.0])
async def test_killed_at_every_frame(name: str, down_s: float, sent: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """A driver killed around any frame takes the dialogue up again: credited once if stacked, never lost."""

    async def main(write: int) -> DeviceRig[Any]:
        rig = LANGUAGES[name](None)
        await rig.start()
        rig.down_s = down_s
        rig.port.die_at, rig.port.die_sent = rig.port.writes + write, sent
        rig.device.insert(NOTE)
        await rig.settle(down_s + 40)
        return await rig.end()

    for write in range(1, 16):
        rig = await main(write)
        assert [type(death) for death in rig.deaths] == [KilledError]
        check_accounted(rig, open_items_allowed=name in UNNUMBERED and bool(rig.returned) and down_s > 2)


@EVERY
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("down_s", [0.05, 40.0])
async def test_killed_around_every_commit(name: str, down_s: float, when: str) -> None:
    """The process dies before or after any transaction about the note: still credited exactly once."""

    async def main(call: int) -> tuple[DeviceRig[Any], int]:
        rig = LANGUAGES[name](None)
        await rig.start()
        rig.down_s = down_s
        fatal = len(rig.books.calls) + call

        async def die(number: int, at: str) -> None:
            if (number, at) == (fatal, when):
                raise KilledError

        rig.books.at_call = die
        rig.device.insert(NOTE)
        await rig.settle(down_s + 40)
        return await rig.end(), fatal

    deaths = 0
    for call in range(1, 9):
        rig, fatal = await main(call)
        deaths += len(rig.deaths)
        assert len(rig.deaths) == (1 if len(rig.books.calls) >= fatal else 0)
        check_accounted(rig, open_items_allowed=name in UNNUMBERED and bool(rig.returned))
    assert deaths >= 3


@pytest.mark.requirement("P4")
@pytest.mark.parametrize(("whole_cabinet", "off_s"), [(False, 0.3), (False, 25.0), (True, 1.0)])
@pytest.mark.parametrize("name", drilled([*ID003, *DEVICES, *STACKS_AFTER_CUT]))
@pytest.mark.parametrize("phase", SLICES)
async def test_mains_cut_at_every_position(name: str, phase: int, off_s: float, whole_cabinet: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """A note caught by a power cut is credited if the device says so, else returned, else an open item."""
    make = (ID003 | DEVICES | STACKS_AFTER_CUT)[name]

    async def main(after_s: float) -> DeviceRig[Any]:
        rig = make(None)
        await rig.start()
        rig.device.insert(NOTE)
        await rig.settle(after_s)
        rig.device.power(on=False)
        if whole_cabinet:
            await rig.kill()
        await rig.settle(off_s)
        rig.device.power(on=True)
        if whole_cabinet:
            rig.run()
        await rig.settle(60)
        assert rig.books.faults == {}
        return await rig.end()

    for step in range(1 + 2 * phase, 38, 2 * PHASES):
        rig = await main(step / 20)
        unseen = known_of(name).HIDES_CUT and off_s > 20
        check_accounted(rig, open_items_allowed=unseen or (bool(rig.stacked) and may_stay_open(name, rig)))


def may_stay_open(name: str, rig: DeviceRig[Any]) -> bool:
    """Whether a stacked note cannot be known: the cut took its credit from the device, or it was never in escrow."""
    if name in ID003:
        return name == "id003-silent" or f"escrow {NOTE}" not in rig.books.calls
    return "acknowledges" not in name


@EACH
async def test_a_new_note_in_escrow_after_a_restart_is_another_one(make: MakeRig) -> None:
    """Killed with the first note just stored, the next driver credits that one and asks about the second anew."""

    async def scene(rig: DeviceRig[Any]) -> None:
        await until_stacking(rig)
        await rig.settle(0.9)
        await rig.kill()
        rig.device.insert(NOTE)
        await rig.settle(1)
        rig.run()
        await rig.settle(40)

    rig = await run_rig(make, scene)

    assert rig.books.credit_cents == sum(rig.stacked)
    assert len(rig.stacked) + len(rig.returned) == 2
    assert (rig.books.open_items, rig.books.escrow) == ([], None)


@EACH
async def test_a_silent_device_is_reported_and_found_again(make: MakeRig) -> None:
    """Switched off it is a fault that says what to check; on again it works as before."""

    async def scene(rig: DeviceRig[Any]) -> None:
        rig.device.power(on=False)
        await rig.settle(40)
        assert "check its power" in rig.books.faults["no_reply"]
        assert any(isinstance(death, NoReplyError) for death in rig.deaths)
        rig.device.power(on=True)
        await rig.settle(30)
        assert rig.books.faults == {}
        rig.device.insert(NOTE)
        await rig.settle()

    check_accounted(await run_rig(make, scene))


@EACH
async def test_left_alone_the_device_disables_itself_and_is_enabled_again(make: MakeRig) -> None:
    """Unpolled for ten seconds it takes nothing; the next driver has it take notes."""

    async def scene(rig: DeviceRig[Any]) -> None:
        await rig.kill()
        await rig.settle(15)
        rig.device.insert(NOTE)
        assert rig.returned == [NOTE]
        rig.returned.clear()
        rig.run()
        await rig.settle(10)
        rig.device.insert(NOTE)
        await rig.settle()

    check_accounted(await run_rig(make, scene))


@EVERY
async def test_a_flooded_device_keeps_its_note(name: str) -> None:
    """The simulated validator survives a million random bytes, and works afterwards."""

    async def scene(rig: DeviceRig[Any]) -> None:
        rig.device.receive(random.Random(5).randbytes(1_000_000))
        await rig.settle(1)
        rig.device.insert(NOTE)
        await rig.settle()

    check_accounted(await run_rig(LANGUAGES[name], scene))


WORDS = {name: found.WORDS for name, found in on_own_lines().items()}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (name, words)
        for name in LANGUAGES
        for language, all_words in WORDS.items()
        for words in all_words
        if known_of(name) is not known(language)
    ],
)
async def test_a_note_left_by_another_protocol_is_not_guessed(name: str, words: str) -> None:
    """The validator was replaced by one of another kind with a note on its way: nobody can know, and it serves on."""
    rig = LANGUAGES[name](None)
    rig.books.escrow, rig.books.dialogue = (NOTE, "stacking"), words
    await rig.start()
    await rig.settle(30)
    assert rig.books.open_items == [NOTE]
    assert rig.books.faults == {}
    rig.device.insert(NOTE)
    await rig.settle()
    assert (rig.books.open_items, (await rig.end()).books.credit_cents) == ([NOTE], NOTE)


@EVERY
async def test_each_language_leaves_words_of_its_own_of_a_note_that_is_to_be_stacked(name: str) -> None:
    """What is kept between the command and the note's end is known by the driver that kept it, and by no other."""

    async def scene(rig: DeviceRig[Any]) -> None:
        await until_stacking(rig)
        kept = rig.books.dialogue
        assert kept is not None
        assert (kept == "id003") is (name == "id003")
        assert (kept in WORDS["ssp"]) is ("ssp" in name)
        assert kept.startswith("cctalk") is (name == "cctalk")

    await run_rig(LANGUAGES[name], scene)
