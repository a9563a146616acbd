"""From a note to a cash-out with real processes, killed between any two commits of a round on the way."""

import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from controller.books.audit import audit
from controller.features.demo.settings import HOPPER_COIN_CENTS
from controller.rounds.draws import seeded_source
from controller.rounds.engine import Round
from drivers.simulated.bench.frame_mirror import FrameMirror
from gamekit.catalogue import load
from gamekit.play import Stake
from tests.rigs.display_client import DisplayClient
from tests.rigs.patience import until
from tests.rigs.real_cabinet import RealCabinet

RICH_SEED = 209
"""The first round of this seed opens three treasure chests and plays ten free spins."""

STAKE_CENTS = 150

pytestmark = pytest.mark.processes


def expected_segments(seed: int) -> tuple[list[bytes], int]:
    """Return what the first round of `seed` shows, segment by segment, and what it wins in cents."""
    source = seeded_source(seed)
    played = Round(load("neptune"), Stake(lines=15, coins_per_line=1, coin_value_cents=10), "null")
    segments = []
    while not played.ended:
        played.advance(None if played.offer is None else played.offer.choices[0], source(0, played.segments))
        segments.append(msgspec.json.encode(played.steps))
    return segments, played.win_cents


def insert_note(cabinet: RealCabinet, display: DisplayClient) -> None:
    """Wait until the validator takes notes, and give it one of 20.00."""
    display.serve_until(lambda: display.state == "attract")
    cabinet.do("note 20")
    display.serve_until(cabinet.note_is_credited)
    display.serve_until(lambda: (display.state, display.credit_cents) == ("idle", 2000))


def collect(cabinet: RealCabinet, display: DisplayClient) -> None:
    """Take all credit: coins from the hopper, the rest from the attendant; less than a coin stays."""
    cabinet.do("tap collect")
    display.serve_until(lambda: display.state == "handpay" or display.credit_cents < HOPPER_COIN_CENTS)
    if display.state == "handpay":
        cabinet.do("key attendant on")
        display.serve_until(lambda: display.credit_cents == 0)
        cabinet.do("key attendant off")


def test_a_round_killed_after_each_of_its_commits_lands_on_the_same_beats(tmp_path: Path) -> None:
    """Note, spin, SIGKILL after each of fourteen commits, same beats, same win, balanced books, cash-out."""
    segments, win_cents = expected_segments(RICH_SEED)
    with RealCabinet(tmp_path, seed=RICH_SEED) as cabinet:
        display = DisplayClient(cabinet.run.display_socket)
        process = cabinet.supervisor()
        try:
            insert_note(cabinet, display)
            cabinet.do("tap spin")
            for number in range(len(segments)):
                display.serve_until(lambda: len(display.segments) > number)  # noqa: B023 - called within this pass
                process.kill()
                assert process.wait(10.0) == -signal.SIGKILL
                process = cabinet.supervisor()
                if number < len(segments) - 1:
                    shown = len(display.shows)
                    display.serve_until(lambda: len(display.shows) > shown)  # noqa: B023 - called within this pass
                    answer(cabinet, display)
            seen = len(display.snapshots)
            display.serve_until(lambda: len(display.snapshots) > seen and display.state == "idle")
            assert display.segments == segments
            assert display.credit_cents == 2000 - STAKE_CENTS + win_cents
            collect(cabinet, display)
        finally:
            process.terminate()
            process.wait(20.0)
            display.close()
        proof = audit(cabinet.run.journal, lambda _what, _done, _total: None)
        assert proof.failures == []
        assert (proof.meters["stakes"], proof.meters["wins"]) == (STAKE_CENTS, win_cents)
        owed = 2000 - STAKE_CENTS + win_cents
        by_hand = proof.meters.get("hand_pay", 0)
        residue = 0 if by_hand else owed % HOPPER_COIN_CENTS
        assert (proof.credit_cents, cabinet.front.tray_cents + by_hand) == (residue, owed - residue)


def answer(cabinet: RealCabinet, display: DisplayClient) -> None:
    """Press SPIN if the resumed round waits for the player."""
    display.serve(0.3)
    if display.state == "offer":
        cabinet.do("tap spin")


def test_a_killed_display_changes_nothing_but_what_is_seen(tmp_path: Path) -> None:
    """SIGKILL of the display in mid-spin: the round ends with the same win, and a new display shows it."""
    segments, _ = expected_segments(1)
    with RealCabinet(tmp_path, seed=1) as cabinet:
        run = cabinet.run
        supervisor = cabinet.supervisor()
        command = [sys.executable, "-m", "ui", "--socket", str(run.display_socket), "--touch", str(run.touch_socket)]
        command += ["--frame-mirror", str(run.frame_mirror), "--baked", "build/baked"]
        glass = FrameMirror(run.frame_mirror)
        displays = [start(command, run.log("display"))]
        try:
            until(lambda: cabinet.front.lamps["spin"] and glass.alive())
            cabinet.do("note 20")
            until(cabinet.note_is_credited)
            until(lambda: cabinet.front.lamps["max_bet"])
            cabinet.do("tap spin")
            until(lambda: not cabinet.front.lamps["max_bet"])
            displays[0].kill()
            displays[0].wait(10.0)
            assert not glass.alive()
            displays.append(start(command, run.log("display")))
            until(glass.alive)
            until(lambda: cabinet.front.lamps["max_bet"])
        finally:
            for process in (*displays, supervisor):
                process.terminate()
                process.wait(20.0)
        proof = audit(run.journal, lambda _what, _done, _total: None)
        assert (proof.failures, proof.rounds, proof.replayed) == ([], 1, 1)
        assert len(segments) == cabinet.books.last_round.segments  # type: ignore[union-attr]


def start(command: list[str], log: Path) -> subprocess.Popen[bytes]:
    """Start a process that writes into `log`."""
    with log.open("ab") as output:
        return subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
