"""Properties of the service menu: whatever is pressed, and whenever the power goes, the books hold."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from controller.books.audit import audit
from controller.journal import ledger
from controller.journal.actor import Role
from controller.journal.money import note_stacking, note_unknown
from controller.journal.transaction import Transaction
from tests.rigs.machine import Rig

CUT = "the power goes"
YES = ("lines", "spin")
ACTS: dict[str, tuple[str, ...]] = {
    "an item is paid": ("go:A.8", "row:Pay by hand", "type:100", *YES * 2),
    "an item is returned": ("go:A.8", "row:Money was returned", *YES),
    "the credit is paid": ("go:A.2", "row:Pay by hand", *YES * 2),
    "service credit": ("go:A.4", "row:Give service", "type:700", *YES * 2),
    "the credit is void": ("go:U.5", "row:Void the", "spin", *YES * 2),
    "a refill": ("go:U.2", "row:Put coins", "type:50", *YES),
    "a collection": ("go:U.3", "row:Collect", *YES * 2),
    "a cleared period": ("go:U.4", "row:Clear", *YES * 2),
    "the volume": ("go:A.6", "row:Sound"),
    "out of service": ("go:A.7", "spin", "spin"),
}
"""The acts that the menu has for money and periods, and some that must move none; a random walk seldom finds them."""
MOVES: dict[str, list[tuple[str, ...]]] = {
    "one key": [(key,) for key in ("lines", "bet", "spin", "collect", "service:digit:9", "service:done", CUT)],
    "an act": list(ACTS.values()),
    "half an act": [act[:length] for act in ACTS.values() for length in range(2, len(act))],
    "a cut": [("spin", CUT), (*YES, CUT)],
}
MOVERS = {"open_item", "hand_pay", "service_credit", "credits_voided"}
"""The ledger's kinds for what the menu may do to money: A.8, A.2, A.4 and U.5, and nothing else."""
MONEY = {*ledger.ADDS, *ledger.TAKES}


def swallow(tx: Transaction) -> None:
    """A note of which nobody knows where it went."""
    note_stacking(tx, 1000)
    note_unknown(tx, "the line was cut")


async def enter(rig: Rig) -> None:
    """Turn the technician's key and type the PIN, choosing it the first time."""
    rig.machine.keys.take("technician", turned=False)
    rig.machine.keys.take("technician", turned=True)
    await rig.type_pin()


async def walk(rig: Rig, code: str) -> None:
    """Go back to the whole menu, and row by row to a page; whatever is typed or asked is left on the way."""
    for _ in range(12):
        page = rig.screen.view.pages.service
        if page is None:
            await enter(rig)
        elif page.code == "" and not (page.entry or page.question):
            break
        else:
            await rig.press("collect", 0.02)
    for step in (code[0], code):
        await row(rig, step)


async def row(rig: Rig, words: str) -> None:
    """Touch the first row that begins so, if there is one and it leads on."""
    page = rig.screen.view.pages.service
    for number, shown in enumerate(() if page is None else page.rows):
        if (shown.code == words or shown.label.startswith(words)) and shown.leads:
            await rig.press(f"service:row:{number}", 0.02)
            return


async def do(rig: Rig, step: str) -> None:
    """Do one step, and come in again wherever the menu was left."""
    kind, _, what = step.partition(":")
    if step == CUT:
        await rig.restart()
        await rig.until_true(lambda: rig.shown in ("idle", "out_of_service"))
    elif kind == "go":
        await walk(rig, what)
    elif kind == "row":
        await row(rig, what)
    elif kind == "type":
        for digit in what:
            await rig.press(f"service:digit:{digit}", 0.02)
        await rig.press("service:done", 0.02)
    else:
        await rig.press(step, 0.02)
    if rig.screen.view.pages.service is None:
        await enter(rig)


async def begin(rig: Rig) -> int:
    """Bring credit and an open item about, and come in; return the number of the newest row before it."""
    await rig.game(2000)
    await rig.journal.do(swallow)
    ((before,),) = await rig.rows("SELECT coalesce(max(seq), 0) FROM ledger")
    await enter(rig)
    return int(str(before))


async def moved(rig: Rig, before: int) -> dict[str, int]:
    """How often rows of each kind have moved the credit or a meter of money since then."""
    rows = await rig.rows(f"SELECT kind, credit_delta, meters FROM ledger WHERE seq > {before}")  # noqa: S608 - a number
    kinds = [str(kind) for kind, delta, meters in rows if delta or MONEY & json.loads(str(meters)).keys()]
    return {kind: kinds.count(kind) for kind in set(kinds)}


@given(st.lists(st.one_of([st.sampled_from(moves) for moves in MOVES.values()]), min_size=4, max_size=12))
@settings(max_examples=25)
async def test_no_order_of_presses_and_cuts_unbalances_the_books(moves: list[tuple[str, ...]]) -> None:
    """Money moves only where an act says so, each act is done or not done, and the machine can be played again."""
    with tempfile.TemporaryDirectory() as folder:

        async def play() -> None:
            async with Rig(Path(folder)) as rig:
                before = await begin(rig)
                for step in (step for move in moves for step in move):
                    await do(rig, step)
                rig.machine.keys.take(Role.TECHNICIAN, turned=False)
                await rig.until_true(lambda: rig.screen.view.pages.service is None)
                kinds = set(await moved(rig, before))
                event(f"moved by {' and '.join(sorted(kinds)) or 'nothing'}")
                assert kinds <= MOVERS
                path = rig.path
            proof = audit(path, lambda *_: None)
            assert proof.failures == []

        await play()


@pytest.mark.parametrize("name", sorted(ACTS))
async def test_a_cut_after_any_step_of_an_act_leaves_it_done_once_or_not_done(tmp_path: Path, name: str) -> None:
    """The power goes after each press in turn: nothing is half done, and only the last press does it."""
    act = ACTS[name]
    done = {
        "an item is paid": {"open_item": 1},
        "the credit is paid": {"hand_pay": 1},
        "service credit": {"service_credit": 1},
        "the credit is void": {"credits_voided": 1},
    }.get(name, {})

    async def play(folder: Path, steps: int) -> None:
        async with Rig(folder) as rig:
            before = await begin(rig)
            for step in (*act[:steps], CUT):
                await do(rig, step)
            assert await moved(rig, before) == (done if steps == len(act) else {})
            path = rig.path
        assert audit(path, lambda *_: None).failures == []

    for steps in range(1, len(act) + 1):
        folder = tmp_path / str(steps)
        folder.mkdir()
        await play(folder, steps)
