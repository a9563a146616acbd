"""An update is done whole or not at all, whenever the power goes, and a program that is not well is undone."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.features.update.orders import Act, End, Intent, Outcome, Report, Why, read, write
from controller.features.update.signing import SigningKey, write_public_key
from controller.features.update.trees import mark_of
from tests.rigs.program_trees import NEW, OLD, OLDER, PowerCutError, WatchedMachine, bundled, forged, held, tree_of

pytestmark = pytest.mark.requirement("S5")


@pytest.fixture
def machine(tmp_path: Path) -> WatchedMachine:
    """A machine whose program is the old one, with an older one of before and the new one's bundle in its inbox."""
    return made(tmp_path / "machine")


def made(folder: Path) -> WatchedMachine:
    """Make that machine in `folder`."""
    machine = WatchedMachine(folder, previous=OLDER)
    bundled(NEW, machine.inbox, migrations=("one", "two"))
    return machine


def install(machine: WatchedMachine) -> bool:
    """Take the wish for the bundle to its end."""
    machine.wish(bundle=f"cabinet-{NEW}.cabinet")
    return machine.whole()


def outcome(machine: WatchedMachine) -> Outcome:
    """Return how it ended."""
    found = read(machine.folders.outcome, Outcome)
    assert found is not None
    return found


def settled(machine: WatchedMachine, program: str, previous: str) -> None:
    """Both trees are whole, the program runs on a system of its own, and nothing is left beside them."""
    folders = machine.folders
    parent = folders.program.parent
    assert (machine.version, machine.running, machine.settled_as) == (program, program, program)
    for place, version in ((folders.program, program), (folders.previous, previous)):
        expected = held(tree_of(version, parent / "expected"))
        assert held(place) == expected
        for path in sorted((parent / "expected").rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
        (parent / "expected").rmdir()
    assert {path.name for path in parent.iterdir()} == {folders.program.name, folders.previous.name}
    assert read(folders.intent, Intent) is None
    assert not folders.wanted.exists()


def test_a_new_program_takes_the_old_ones_place_once_it_is_well(machine: WatchedMachine) -> None:
    """The old one is the one of before; the journal was copied first; the bundle is gone."""
    assert install(machine)
    settled(machine, NEW, OLD)
    assert (outcome(machine).end, outcome(machine).old, outcome(machine).new) == (End.DONE, OLD, NEW)
    assert machine.copies == {f"before-{NEW}": ("one",)}
    assert machine.trials == [NEW]
    assert list(machine.inbox.iterdir()) == []


def test_what_cannot_be_cleared_out_of_the_inbox_keeps_no_update_from_ending(machine: WatchedMachine) -> None:
    """The inbox is the supervisor's, who may have put anything there: the trial ends all the same."""
    (machine.inbox / "folder.cabinet").mkdir(parents=True)
    assert install(machine)
    settled(machine, NEW, OLD)
    assert [path.name for path in machine.inbox.iterdir()] == ["folder.cabinet"]


@pytest.mark.parametrize(
    ("ill", "why"),
    [
        ("end", Why.ENDED),
        ("silent", Why.UNWELL),
        ("no display", Why.UNWELL),
        ("unsettled", Why.SYSTEM),
    ],
)
def test_a_new_program_that_is_not_well_is_undone(machine: WatchedMachine, ill: str, why: Why) -> None:
    """It ends, says nothing, lacks something, or its set-up fails: the old one runs, with the journal it can read."""
    machine.broken[NEW] = ill
    assert install(machine)
    settled(machine, OLD, OLDER)
    assert (outcome(machine).end, outcome(machine).why) == (End.UNDONE, why)
    assert machine.journal == ("one",)
    if ill == "no display":
        assert "no display" in outcome(machine).detail


def test_what_is_well_now_and_then_is_not_well(machine: WatchedMachine) -> None:
    """It must be for as long as the watchdog takes to be missed, without a break."""
    ticks = iter(range(10_000))
    step = machine.step

    def flicker(name: str) -> None:
        if name == "while it is watched":
            machine.broken[NEW] = "silent" if next(ticks) % 20 == 0 else "well"
            machine.clock += 10.0 if machine.broken[NEW] == "silent" else 0.0
            if machine.broken[NEW] == "well":
                del machine.broken[NEW]
        step(name)

    machine.step = flicker  # type: ignore[method-assign]
    assert install(machine)
    settled(machine, OLD, OLDER)


@pytest.mark.parametrize(
    ("report", "detail"),
    [
        (Report(pid=77, version=NEW, at_s=0, lacks=("it is locked: x",), locked=True), "it is locked: x"),
        (Report(pid=77, version="3.0", at_s=0, lacks=()), "it says that it is 3.0, not 2.0"),
        (Report(pid=5, version=NEW, at_s=0, lacks=()), "the supervisor does not say how it fares"),
        (Report(pid=77, version=NEW, at_s=-60, lacks=()), "the supervisor does not say how it fares"),
    ],
)
def test_only_the_programs_own_fresh_word_counts(machine: WatchedMachine, report: Report, detail: str) -> None:
    """Not another process's, not an old one, not another version's; a lock, which stays, is not waited for."""
    machine.broken[NEW] = "silent"
    began = machine.clock

    def step(name: str) -> None:
        if name in {"while it is watched", "before the new program starts"}:
            write(machine.folders.report, replace(report, at_s=machine.clock + report.at_s + 1.0))

    machine.step = step  # type: ignore[method-assign]
    assert install(machine)
    settled(machine, OLD, OLDER)
    assert outcome(machine).why is Why.UNWELL
    assert outcome(machine).detail.endswith(detail)
    assert (machine.clock - began < 5.0) is report.locked


def test_back_to_the_program_of_before(machine: WatchedMachine) -> None:
    """By the same way, and watched as closely: the two have changed places afterwards, and may again."""
    for program, previous in ((OLDER, OLD), (OLD, OLDER)):
        machine.wish(Act.BACK)
        assert machine.whole()
        settled(machine, program, previous)


def test_back_over_a_change_of_the_journal(machine: WatchedMachine) -> None:
    """The copy of before the update comes back with the program, since no money has moved."""
    install(machine)
    assert machine.journal == ("one", "two")
    machine.wish(Act.BACK)
    assert machine.whole()
    settled(machine, OLD, NEW)
    assert machine.journal == ("one",)


def test_no_way_back_that_forgets_money(machine: WatchedMachine) -> None:
    """The journal's rule refuses it, and the newer program plays on."""
    install(machine)
    machine.money_moved = True
    machine.wish(Act.BACK)
    assert not machine.whole()
    settled(machine, NEW, OLD)
    assert (outcome(machine).end, outcome(machine).why) == (End.REFUSED, Why.JOURNAL)


def test_where_undoing_would_forget_money_the_new_program_stays(machine: WatchedMachine) -> None:
    """A coin that the acceptor had counted before may be credited on trial: no cent is given up for a version."""
    machine.broken[NEW] = "no display"
    machine.money_moved = True
    assert install(machine)
    settled(machine, NEW, OLD)
    assert (outcome(machine).end, outcome(machine).why) == (End.KEPT, Why.UNWELL)
    assert machine.journal == ("one", "two")


@pytest.mark.requirement("S5")
def test_nothing_is_touched_while_a_game_is_open(machine: WatchedMachine) -> None:
    """Whatever the supervisor has said."""
    machine.game_open = True
    assert not install(machine)
    settled(machine, OLD, OLDER)
    assert (outcome(machine).end, outcome(machine).why) == (End.REFUSED, Why.JOURNAL)


def refused(machine: WatchedMachine) -> Why:
    """Take the wish, which must be refused before the program is even stopped; return why."""
    assert not install(machine)
    settled(machine, OLD, OLDER)
    assert machine.trials == []
    assert outcome(machine).end is End.REFUSED
    return outcome(machine).why


def test_a_bundle_that_is_not_the_makers_is_refused(machine: WatchedMachine) -> None:
    """The supervisor may be somebody else's by now: its word counts for nothing."""
    write_public_key(machine.folders.release, SigningKey.throwaway().public_key)
    assert refused(machine) is Why.BUNDLE
    machine.folders.release.unlink()
    bundled(NEW, machine.inbox)
    assert refused(machine) is Why.BUNDLE


def test_a_bundle_that_was_changed_is_refused(machine: WatchedMachine) -> None:
    """As it lies in the inbox, which the supervisor may write to."""
    path = machine.inbox / f"cabinet-{NEW}.cabinet"
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    assert refused(machine) is Why.BUNDLE


def test_a_bundle_for_another_machine_is_refused(machine: WatchedMachine) -> None:
    """It would not even start."""
    forged(machine.inbox / f"cabinet-{NEW}.cabinet", python="3.2")
    assert refused(machine) is Why.UNFIT


@pytest.mark.parametrize("name", ["../cabinet-2.0.cabinet", "/etc/shadow", "", ".x.cabinet", "no.cabinet"])
def test_a_name_that_leads_elsewhere_is_refused(machine: WatchedMachine, name: str) -> None:
    """What is unpacked lies in the inbox, or nothing is."""
    machine.wish(bundle=name)
    assert not machine.updater().take()
    assert outcome(machine).end is End.REFUSED
    settled(machine, OLD, OLDER)


def test_a_link_in_place_of_a_bundle_is_refused(machine: WatchedMachine, tmp_path: Path) -> None:
    """Not even one to a sound bundle."""
    path = machine.inbox / f"cabinet-{NEW}.cabinet"
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert refused(machine) is Why.BUNDLE


@pytest.mark.parametrize("words", [b"", b"{", b'{"id":"1","act":"burn"}', b'{"id":"1","act":"back","who":1}', b"\xff"])
def test_a_wish_that_nobody_understands_is_forgotten(machine: WatchedMachine, words: bytes) -> None:
    """Whatever the supervisor writes: nothing happens, and nothing is asked again and again."""
    machine.folders.wanted.write_bytes(words)
    assert not machine.whole()
    settled(machine, OLD, OLDER)


def test_without_a_program_of_before_there_is_no_way_back(tmp_path: Path) -> None:
    """A cabinet that was installed once."""
    machine = WatchedMachine(tmp_path)
    machine.wish(Act.BACK)
    assert not machine.whole()
    assert (outcome(machine).why, machine.version, machine.running) == (Why.NO_PREVIOUS, OLD, OLD)


def test_an_updater_that_fails_is_mended(machine: WatchedMachine) -> None:
    """Its unit's last act: the old program plays again, without a start of the computer."""
    machine.wish(bundle=f"cabinet-{NEW}.cabinet")
    assert machine.updater().take()
    machine.updater().mend()
    settled(machine, OLD, OLDER)
    assert (outcome(machine).end, outcome(machine).why) == (End.UNDONE, Why.SYSTEM)


ILLS = ("", "end", "unsettled", "no display")


CASES = [(act, ill, False) for act in Act for ill in ILLS] + [(Act.INSTALL, "no display", True)]
"""Every kind of update: forwards and back, well and ill, with and without money that has moved."""


def cut(folder: Path, case: tuple[Act, str, bool], at: int, again_at: int = 0) -> str:
    """Cut the power before step `at` of an update, and before step `again_at` of the start after it; then start.

    Return which of the cuts came: `none`, `first` or `both`.
    """
    act, ill, money_moved = case
    asked = NEW if act is Act.INSTALL else OLDER
    machine = made(folder)
    machine.money_moved, machine.pace, machine.cut_at = money_moved, 50.0, at
    if ill:
        machine.broken[asked] = ill
    machine.wish(act, f"cabinet-{NEW}.cabinet" if act is Act.INSTALL else "")
    try:
        machine.whole()
    except PowerCutError:
        came = "first"
    else:
        return "none"
    assert machine.version in (OLD, asked)
    machine.power_off()
    machine.steps.clear()
    machine.cut_at = again_at or None
    try:
        machine.updater().boot()
    except PowerCutError:
        came = "both"
        assert machine.version in (OLD, asked)
        machine.power_off()
        machine.updater().boot()
    machine.start()
    if machine.version == asked:
        assert outcome(machine).end is (End.KEPT if money_moved else End.DONE)
        settled(machine, asked, OLD)
    else:
        assert not machine.folders.outcome.exists() or outcome(machine).end in (End.UNDONE, End.REFUSED)
        settled(machine, OLD, OLDER)
    assert set(machine.journal) <= set(machine.knows[machine.version])
    return came


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_power_may_go_before_any_step(tmp_path: Path, case: tuple[Act, str, bool]) -> None:
    """After the next start one whole program runs on a system of its own with a journal that it can read.

    The program's place is never empty, and what is left is what an update that was made, or never asked for, leaves.
    """
    at = 1
    while cut(tmp_path / str(at), case, at) != "none":
        at += 1
    assert at > 15


@pytest.mark.proof
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_power_may_go_again_before_any_step_of_the_mending(tmp_path: Path, case: tuple[Act, str, bool]) -> None:
    """Every pair of cuts: one in the update, one in the start that mends it."""
    at = pairs = 0
    came = "both"
    while came != "none":
        at, again_at, came = at + 1, 0, "both"
        while came == "both":
            again_at += 1
            came = cut(tmp_path / f"{at}-{again_at}", case, at, again_at)
            pairs += came == "both"
    assert pairs > 60


def test_a_trees_mark_stays_with_it(tmp_path: Path) -> None:
    """Under whatever name."""
    tree = tree_of(OLD, tmp_path / "one")
    mark = mark_of(tree)
    tree.rename(tmp_path / "other")
    assert (mark_of(tmp_path / "other"), mark_of(tree)) == (mark, 0)
