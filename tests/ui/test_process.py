import select
import signal
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import Raw

from gamekit.beats import LineWin, ReelsLanded
from tests.rigs.patience import PATIENCE_S
from tests.rigs.views import changed
from tests.ui.display_process import DisplayProcess
from tests.ui.rehearsal import neptune_view
from ui.layout import WIDE, centre
from ui.protocol.messages import Ack, Hello, Press, Show, Snapshot, raw

pytestmark = pytest.mark.processes


@pytest.fixture
def process() -> Iterator[DisplayProcess]:
    # Socket names hold 108 bytes at most, and pytest's own directories can be longer.
    with tempfile.TemporaryDirectory(prefix="ui-") as folder:
        process = DisplayProcess(Path(folder))
        yield process
        process.end()


ROUND = neptune_view(state="round", controls=("spin",), credit_cents=12_050)
STEPS = (raw(ReelsLanded((1, 2, 3, 4, 5))), raw(LineWin(1, "ten", 3, coins=60)))


def test_a_round_is_shown_acknowledged_and_touches_come_back(process: DisplayProcess) -> None:
    """The whole way: snapshot, show, mirrored frames, one Ack, a touch that becomes a press of that turn."""
    process.start()
    process.accept()
    process.say(Hello(), Snapshot(1, ROUND), Show(1, 1, STEPS, 12_350, 300))
    process.until(lambda: process.frame()[0] > 20)
    assert process.hear() == Ack(1)
    process.say(Snapshot(2, neptune_view()))
    before = process.frame()[0]
    process.until(lambda: process.frame()[0] > before)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as hand:
        hand.connect(str(process.run / "touch.sock"))
        x, y = map(int, centre(WIDE.hud.buttons["spin"]))

        def touch() -> None:
            hand.send(b'{"x":%d,"y":%d,"down":true}' % (x, y))
            hand.send(b'{"x":%d,"y":%d,"down":false}' % (x, y))

        assert process.hear_after(touch) == Press("spin", 2)


def test_a_new_one_shows_the_game_after_sigkill(process: DisplayProcess) -> None:
    """From SIGKILL to the next frame of a new display; how long that takes is for the bench to say."""
    process.start()
    process.accept()
    process.say(Hello(), Snapshot(1, neptune_view()))
    process.until(lambda: process.frame()[0] > 0)
    process.kill()
    number = process.frame()[0]
    process.start()
    process.accept()
    process.say(Hello(), Snapshot(1, neptune_view()))
    process.until(lambda: process.frame()[0] > number)


def test_a_picture_that_stands_is_not_drawn_again(process: DisplayProcess) -> None:
    """A page costs nothing: no frame is presented while nothing changes."""
    process.start()
    process.accept()
    process.say(Hello(), Snapshot(1, neptune_view(state="paytable", focus="page:0")))
    process.until(lambda: process.frame()[0] > 0)
    process.fall_silent(2.5)
    number = process.frame()[0]
    select.select([], [], [], 0.5)
    assert process.frame()[0] == number


@pytest.mark.parametrize("scene", [b'{"x":"\xff"}', b'{"a":' * 3_000 + b"1" + b"}" * 3_000, b"[1,2]"])
def test_a_scene_that_cannot_be_read_is_no_end(process: DisplayProcess, scene: bytes) -> None:
    """What cannot be shown is dropped with its connection: the next one's snapshot is."""
    process.start()
    process.accept()
    process.say(Hello(), Snapshot(1, changed(neptune_view(), scene=Raw(scene))))
    process.accept()
    process.say(Hello(), Snapshot(1, neptune_view()))
    process.until(lambda: process.frame()[0] > 0)


def test_the_wrong_protocol_ends_it_with_code_three(process: DisplayProcess) -> None:
    """Restarting wouldn't help: the exit code and the line say so."""
    process.start()
    process.accept()
    process.say(Hello(protocol=99))
    assert process.display is not None
    _, words = process.display.communicate(timeout=PATIENCE_S)
    assert process.display.returncode == 3
    assert b"install supervisor and display of the same version" in words


def test_sigterm_ends_it_cleanly(process: DisplayProcess) -> None:
    """The stop of systemd is obeyed at once, and the touch socket's name goes."""
    process.start()
    process.accept()
    process.say(Hello(), Snapshot(1, neptune_view()))
    process.until(lambda: process.frame()[0] > 0)
    assert process.display is not None
    process.display.send_signal(signal.SIGTERM)
    process.display.communicate(timeout=PATIENCE_S)
    assert process.display.returncode == 0
    assert not (process.run / "touch.sock").exists()
