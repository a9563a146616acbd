import select
import signal
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import Raw, structs

from games.beats import LineWin, ReelsLanded
from tests.ui.rehearsal import neptune_view, raw
from tests.ui.stand import PATIENCE_S, Stand
from ui.layout import WIDE, centre
from ui.messages import Ack, Hello, Press, Show, Snapshot

pytestmark = pytest.mark.processes


@pytest.fixture
def stand() -> Iterator[Stand]:
    # Socket names hold 108 bytes at most, and pytest's own directories can be longer.
    with tempfile.TemporaryDirectory(prefix="ui-") as folder:
        stand = Stand(Path(folder))
        yield stand
        stand.end()


ROUND = neptune_view(state="round", controls=("spin",), credit_cents=12_050)
STEPS = (raw(ReelsLanded((1, 2, 3, 4, 5))), raw(LineWin(1, "ten", 3, coins=60)))


def test_a_round_is_shown_acknowledged_and_touches_come_back(stand: Stand) -> None:
    """The whole way: snapshot, show, mirrored frames, one Ack, a touch that becomes a press of that turn."""
    stand.start()
    stand.accept()
    stand.say(Hello(), Snapshot(1, ROUND), Show(1, 1, STEPS, 12_350, 300))
    stand.until(lambda: stand.frame()[0] > 20)
    assert stand.hear() == Ack(1)
    stand.say(Snapshot(2, neptune_view()))
    before = stand.frame()[0]
    stand.until(lambda: stand.frame()[0] > before)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as hand:
        hand.connect(str(stand.run / "touch.sock"))
        x, y = map(int, centre(WIDE.buttons["spin"]))

        def touch() -> None:
            hand.send(b'{"x":%d,"y":%d,"down":true}' % (x, y))
            hand.send(b'{"x":%d,"y":%d,"down":false}' % (x, y))

        assert stand.hear_after(touch) == Press("spin", 2)


def test_a_new_one_shows_the_game_after_sigkill(stand: Stand) -> None:
    """From SIGKILL to the next frame of a new display; how long that takes is for the bench to say."""
    stand.start()
    stand.accept()
    stand.say(Hello(), Snapshot(1, neptune_view()))
    stand.until(lambda: stand.frame()[0] > 0)
    stand.kill()
    number = stand.frame()[0]
    stand.start()
    stand.accept()
    stand.say(Hello(), Snapshot(1, neptune_view()))
    stand.until(lambda: stand.frame()[0] > number)


def test_a_picture_that_stands_is_not_drawn_again(stand: Stand) -> None:
    """Idle costs nothing: no frame is presented while nothing changes."""
    stand.start()
    stand.accept()
    stand.say(Hello(), Snapshot(1, neptune_view()))
    stand.until(lambda: stand.frame()[0] > 0)
    stand.fall_silent(2.5)
    number = stand.frame()[0]
    select.select([], [], [], 0.5)
    assert stand.frame()[0] == number


@pytest.mark.parametrize("scene", [b'{"x":"\xff"}', b'{"a":' * 3_000 + b"1" + b"}" * 3_000, b"[1,2]"])
def test_a_scene_that_cannot_be_read_is_no_end(stand: Stand, scene: bytes) -> None:
    """What cannot be shown is dropped with its connection: the next one's snapshot is."""
    stand.start()
    stand.accept()
    stand.say(Hello(), Snapshot(1, structs.replace(neptune_view(), scene=Raw(scene))))
    stand.accept()
    stand.say(Hello(), Snapshot(1, neptune_view()))
    stand.until(lambda: stand.frame()[0] > 0)


def test_the_wrong_protocol_ends_it_with_code_three(stand: Stand) -> None:
    """Restarting wouldn't help: the exit code and the line say so."""
    stand.start()
    stand.accept()
    stand.say(Hello(protocol=2))
    assert stand.display is not None
    _, words = stand.display.communicate(timeout=PATIENCE_S)
    assert stand.display.returncode == 3
    assert b"install supervisor and display of the same version" in words


def test_sigterm_ends_it_cleanly(stand: Stand) -> None:
    """The stop of systemd is obeyed at once, and the touch socket's name goes."""
    stand.start()
    stand.accept()
    stand.say(Hello(), Snapshot(1, neptune_view()))
    stand.until(lambda: stand.frame()[0] > 0)
    assert stand.display is not None
    stand.display.send_signal(signal.SIGTERM)
    stand.display.communicate(timeout=PATIENCE_S)
    assert stand.display.returncode == 0
    assert not (stand.run / "touch.sock").exists()
