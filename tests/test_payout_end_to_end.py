"""A payout of the real supervisor, killed while the hopper pays, and the attendant's key turned after the restart.

The devices live in a process of their own: the hopper goes on paying. What left it is counted in the tray.
"""

import signal
import time
from pathlib import Path

import pytest

from tests.rigs.display_client import DisplayClient
from tests.rigs.real_cabinet import RealCabinet

pytestmark = [pytest.mark.processes, pytest.mark.sampled(4)]

CREDIT_CENTS = 2000
PAID_CENTS = 300


def hand_paid_cents(cabinet: RealCabinet) -> int:
    """Return what the books say an attendant paid, or is asked to pay now."""
    rows = cabinet.books.rows(
        "SELECT coalesce(sum(amount_cents), 0) FROM payouts WHERE kind = 'hand_pay' AND state IN ('open', 'done')"
    )
    return int(rows[0][0]) if rows else 0


def turn_key(cabinet: RealCabinet) -> None:
    """Turn the attendant's key and turn it back."""
    cabinet.do("key attendant on")
    time.sleep(0.1)
    cabinet.do("key attendant off")


@pytest.mark.parametrize("after_s", [0.05, 0.3, 0.8, 1.6])
def test_a_key_after_a_restart_never_pays_a_coin_by_hand_too(tmp_path: Path, after_s: float) -> None:
    """Tray and hand-pay never exceed the credit, and in the end the player has all of it, once."""
    with RealCabinet(tmp_path, seed=1) as cabinet:
        display = DisplayClient(cabinet.run.display_socket)
        process = cabinet.supervisor()
        try:
            display.serve_until(lambda: display.state == "attract")
            cabinet.do("note 20")
            display.serve_until(cabinet.note_is_credited)
            display.serve_until(lambda: display.credit_cents == CREDIT_CENTS)
            display.serve(1.0)
            cabinet.do("tap collect")
            display.serve_until(lambda: cabinet.front.tray_cents >= PAID_CENTS)
            process.send_signal(signal.SIGKILL)
            process.wait()
            seen = len(display.snapshots)
            process = cabinet.supervisor()
            display.serve_until(lambda: len(display.snapshots) > seen and display.state == "collecting")
            display.serve(after_s)
            turn_key(cabinet)
            deadline = time.monotonic() + 15.0
            while time.monotonic() < deadline:
                display.serve(0.2)
                assert cabinet.front.tray_cents + hand_paid_cents(cabinet) <= CREDIT_CENTS
            if display.state == "handpay":
                turn_key(cabinet)
            display.serve_until(lambda: display.state == "idle")
            assert cabinet.front.tray_cents + hand_paid_cents(cabinet) == CREDIT_CENTS
        finally:
            display.close()
            process.kill()
            process.wait()
