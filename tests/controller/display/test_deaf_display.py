"""A display that went deaf is ended, whoever its user is (design page, section 2)."""

import subprocess
import sys
from pathlib import Path

from controller.configuration.named_files import END_DISPLAY
from controller.display.deaf_display import end_display


def test_a_display_of_our_own_is_killed(tmp_path: Path) -> None:
    """In a demo both are the same user's."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as display:
        end_display(display.pid, tmp_path)
        assert display.wait(10.0) == -9
    assert not (tmp_path / END_DISPLAY).exists()


def test_a_display_that_has_ended_already_is_left_alone(tmp_path: Path) -> None:
    """Its pid may be anybody's by now, so nothing is asked for."""
    with subprocess.Popen([sys.executable, "-c", ""]) as display:
        display.wait(10.0)
    end_display(display.pid, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_display_of_another_user_is_ended_by_the_service_manager(tmp_path: Path) -> None:
    """The supervisor holds no capability, so the kernel refuses it the kill: it leaves a request, and goes on."""

    def refused(_pid: int, _number: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    end_display(1, tmp_path, refused)
    assert (tmp_path / END_DISPLAY).exists()
