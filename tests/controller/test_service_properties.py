"""Properties of the service menu: whatever is pressed, and whenever the power goes, the books hold."""

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from controller.audit import audit
from controller.journal.money import note_stacking, note_unknown
from controller.journal.transaction import Transaction
from controller.service.leaf import Who
from tests.controller.machine_rig import Rig
from tests.virtual_time import run_virtual

CUT = "the power goes"
OUT, AMOUNT, YES = ("collect",) * 3, ("service:digit:1", *("service:digit:0",) * 2, "service:done"), ("lines", "spin")
MOVES: dict[str, list[tuple[str, ...]]] = {
    "one key": [(key,) for key in ("lines", "bet", "spin", "collect", "service:digit:9", "service:done", CUT)],
    "an item": [(*OUT, "spin", *("bet",) * 4, "spin", *("bet",) * way, "spin", *AMOUNT, *YES) for way in (1, 2, 3)],
    "the credit": [(*OUT, "spin", "bet", "spin", "bet", "spin", *YES * answers) for answers in (1, 2)],
    "a cut": [("spin", CUT), (*YES, CUT)],
}
"""Keys one by one, and ways to the acts that move money, which a walk at random would seldom find."""
MOVERS = {"open_item", "hand_pay"}
"""The ledger's kinds for what the menu may do to money: items that are resolved, credit that is paid by hand."""


def swallow(tx: Transaction) -> None:
    """A note of which nobody knows where it went."""
    note_stacking(tx, 1000)
    note_unknown(tx, "the line was cut")


async def enter(rig: Rig) -> None:
    """Turn the technician's key and type the PIN, choosing it the first time."""
    rig.machine.key("technician", turned=False)
    rig.machine.key("technician", turned=True)
    await rig.type_pin()


async def wander(rig: Rig, presses: list[str]) -> None:
    """Press at random in the menu; after each cut, and wherever it has been left, come in again."""
    await rig.game(2000)
    await rig.journal.do(swallow)
    (before,) = await rig.rows("SELECT coalesce(max(seq), 0) FROM ledger")
    await enter(rig)
    for press in presses:
        if press == CUT:
            await rig.restart()
            await rig.until("idle")
        else:
            await rig.press(press, 0.02)
        if rig.screen.view.service is None:
            await enter(rig)
    rig.machine.key(Who.TECHNICIAN, turned=False)
    await rig.until_true(lambda: rig.screen.view.service is None)
    moved = await rig.rows(
        f"SELECT DISTINCT kind FROM ledger WHERE seq > {before[0]} AND (credit_delta <> 0 OR meters LIKE '%found_in%'"  # noqa: S608
        " OR meters LIKE '%hand_pay%' OR meters LIKE '%notes_in%' OR meters LIKE '%stakes%')"
    )
    kinds = {str(kind) for (kind,) in moved}
    event(f"moved by {' and '.join(sorted(kinds)) or 'nothing'}")
    assert kinds <= MOVERS


@given(st.lists(st.one_of([st.sampled_from(moves) for moves in MOVES.values()]), min_size=4, max_size=20))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_order_of_presses_and_cuts_unbalances_the_books(moves: list[tuple[str, ...]]) -> None:
    """Money moves only where an act says so, each act is done or not done, and the machine can be played again."""
    with tempfile.TemporaryDirectory() as folder:

        async def play() -> None:
            async with Rig(Path(folder)) as rig:
                await wander(rig, [press for move in moves for press in move])
                path = rig.path
            proof = audit(path, lambda *_: None)
            assert proof.failures == []

        run_virtual(play())
