"""What a check of a game may take is counted in processor time: a busy machine makes no game unfit."""

import sys

import pytest

from controller.play.checking import faults_of_display
from controller.play.processor_limit import Ended, LimitError, run
from tests.rigs.paths import ROOT


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_a_process_ends_by_itself_however_long_it_waits() -> None:
    """It waits longer than it may take of the processor, as on a busy machine, and its outcome is read whole."""
    code = "import sys, time; time.sleep(1.5); sys.stdout.write('said'); sys.stderr.write('noted'); sys.exit(3)"
    assert run(python(code), longest_s=1.0, idle_s=60.0) == Ended(3, b"said", b"noted")


def test_a_process_that_never_ends_is_ended() -> None:
    """One that keeps the processor busy, and one that stands still."""
    with pytest.raises(LimitError, match="had taken 1 s of the processor"):
        run(python("while True: pass"), longest_s=0.5, idle_s=60.0)
    with pytest.raises(LimitError, match="had stood still for 2 s"):
        run(python("import time; time.sleep(600)"), longest_s=60.0, idle_s=2.0)


def test_a_game_that_takes_too_much_processor_time_is_named() -> None:
    """The fault says what was counted, and not the time of day."""
    (fault,) = faults_of_display(
        "neptune", ROOT / "build" / "baked", shapes=["wide"], scales=["1x"], languages=["en"], longest_s=0.5
    )
    assert fault.file == "games/neptune/display"
    assert fault.text == "drawing its screens had taken 1 s of the processor when it was ended"
