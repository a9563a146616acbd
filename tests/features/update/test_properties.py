"""Whatever is done to an installed cabinet, it plays only what is signed by whom its technician trusts."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.features.update.installed import PLATFORM, RELEASE
from controller.features.update.signing import SigningKey
from controller.features.update.software_watch import SoftwareWatch
from controller.features.update.trust import accept
from controller.journal.faults import clear_by_key
from tests.features.update.rig import software_of
from tests.rigs.installed_machine import KEY, TAMPERED, Installed, Proofs
from tests.rigs.installed_tree import GAME, LIBRARY, InstalledTree, put
from tests.rigs.technician import WARM_S
from tests.rigs.virtual_cabinet import VirtualCabinet

GOOD = "def play(): ...\n"
EVIL = f"{LIBRARY}/sitecustomize.py"

TREE = ("spoil", "mend", "slip in", "take out", "sign by another", "sign by the maker", "measure the platform")
"""What is done to the files, behind the machine's back."""
MACHINE = ("door", "restart", "ask", "clear", "accept")
"""What has it look, and what a technician does."""


class Model:
    """What must be so: of the files as they are, as they were proved, and of whom the technician trusts."""

    def __init__(self, tree: InstalledTree) -> None:
        self.tree = tree
        self.tampered = False
        """Whether the fault is in the journal, over or not."""
        self.trusted = self.keys()
        self.proved = self.keys()
        self.authentic = True

    def keys(self) -> dict[str, bytes]:
        """Return who vouches now."""
        return {kind: who.public_key for kind, who in self.tree.installation.prove().authorities.items()}

    def look(self) -> None:
        """The machine has proved its files."""
        verdict = self.tree.installation.prove()
        self.authentic = verdict.is_authentic
        self.tampered = self.tampered or not self.authentic
        self.proved = self.keys()

    @property
    def faults(self) -> set[str]:
        """The faults in the journal."""
        stranger = any(self.trusted[kind] != key for kind, key in self.proved.items())
        return {code for code, present in ((TAMPERED, self.tampered), (KEY, stranger)) if present}


def change(tree: InstalledTree, step: str) -> None:
    """Do something to the files."""
    match step:
        case "spoil":
            put(tree.root, GAME, "def play(): return 1\n")
        case "mend":
            put(tree.root, GAME, GOOD)
        case "slip in":
            put(tree.root, EVIL)
        case "take out":
            tree.place(EVIL).unlink(missing_ok=True)
        case "sign by another":
            tree.release(SigningKey.throwaway())
        case "sign by the maker":
            tree.release()
        case _:
            tree.platform()


async def act(rig: Installed, model: Model, step: str) -> None:
    """Have the machine look, or do what a technician does; the model follows."""
    match step:
        case "door":
            await rig.shut("logic")
        case "restart":
            await rig.restart()
            await rig.proved()
        case "ask":
            await software_of(rig).verify_now()
        case "clear":
            await rig.machine.journal.record(lambda tx: clear_by_key(tx, "technician") or None)
            model.tampered = model.tampered and not model.authentic
            return
        case _:
            newest = software_of(rig).newest
            assert newest is not None
            await rig.machine.journal.record(lambda tx: accept(tx, newest.verdict.authorities, "technician") or None)
            model.trusted = {**model.trusted, **model.proved}
            return
    model.look()


@given(st.lists(st.sampled_from((*TREE, *MACHINE)), max_size=14))
@settings(max_examples=25)
async def test_only_what_is_proved_and_trusted_is_played(steps: list[str]) -> None:
    """After any order of changes, doors, restarts, clears and acceptances: faults and money are as the files are."""
    with tempfile.TemporaryDirectory() as folder:
        rig = Installed(Path(folder))
        await rig.start()
        await rig.proved()
        model = Model(rig.tree)
        for step in steps:
            if step in TREE:
                change(rig.tree, step)
                continue
            await act(rig, model, step)
            assert rig.notices() == model.faults, step
            assert rig.front.coins is not bool(model.faults), step
        await rig.kill()


@pytest.mark.parametrize("kind", [RELEASE, PLATFORM])
async def test_the_supervisor_itself_proves_before_it_takes_a_coin(tmp_path: Path, kind: str) -> None:
    """A whole cabinet on its drivers: nothing is enabled before the first proof, nor after one that failed."""
    root = tmp_path / "root"
    root.mkdir()
    tree = InstalledTree(root)

    cabinet = VirtualCabinet(tmp_path)
    cabinet.fit = lambda supervisor: supervisor.service.machine.of(SoftwareWatch).fit(Proofs(tree))
    supervisor = await cabinet.start()
    assert supervisor.service.machine.of(SoftwareWatch).proving
    await cabinet.until(lambda: not supervisor.service.machine.of(SoftwareWatch).proving)
    await supervisor.machine.clock.sleep(WARM_S)
    await cabinet.insert_note(2000)
    await cabinet.kill()
    put(root, GAME if kind == RELEASE else EVIL, "evil\n")
    supervisor = await cabinet.start()
    await cabinet.until(lambda: not supervisor.service.machine.of(SoftwareWatch).proving)
    await cabinet.until(lambda: supervisor.machine.conditions.overlay == "tilted")
    assert not supervisor.machine.states.takes_coins
    assert not supervisor.machine.states.takes_notes
    assert supervisor.machine.journal.credit_cents == 2000
    await cabinet.kill()
