"""What the Pi proof compares the monitor with, as far as it can be seen without booting it."""

from tests.pi.monitor import CONTROL, STILL, TOUCHED, golden, place_of
from tests.ui.golden import rehearsed
from ui.protocol.messages import Snapshot, decode_to_display


def test_nothing_moves_on_the_screens_that_are_compared() -> None:
    """The monitor is read back at any time: whatever moves would differ."""
    for name in STILL:
        rehearsal = rehearsed(name)
        before = rehearsal.pixels()
        rehearsal.wait(11.3)
        assert rehearsal.pixels() == before, name


def test_a_screen_is_sent_as_the_supervisor_sends_it() -> None:
    """One packet; its picture has the canvas's size."""
    packet, pixels = golden(TOUCHED)
    message = decode_to_display(packet)
    assert isinstance(message, Snapshot)
    assert CONTROL in message.view.controls
    assert len(pixels) == 1280 * 720 * 3


def test_the_finger_is_put_on_the_control() -> None:
    """The place, in parts of 65,536, lies on it."""
    x, y = place_of(TOUCHED, CONTROL)
    rehearsal = rehearsed(TOUCHED)
    rehearsal.picture()
    assert rehearsal.scene_manager.touch(x * 1280 // 65536, y * 720 // 65536, rehearsal.now) == CONTROL
