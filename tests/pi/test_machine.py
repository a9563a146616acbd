"""What the Pi proof puts around the image, as far as it can be seen without booting it."""

import base64
import os
import re
import subprocess
from pathlib import Path

from tests.pi.machine import EARLY, MODEL, command_line, qemu, with_property
from tests.pi.pi_proof import UNSTARTED


def test_the_command_line_fits_the_kernel() -> None:
    """Arm64 takes 2,047 characters (COMMAND_LINE_SIZE); what is longer is cut off without a word."""
    words = command_line(UNSTARTED)
    assert len(words) < 2048
    assert re.findall(r"systemd\.mask=(\S+)", words)[-len(UNSTARTED) :] == list(UNSTARTED)
    (unit,) = re.findall(r"systemd\.extra-unit\.pi-proof\.service:(\S+)", words)
    assert base64.b64decode(unit).decode() == EARLY


def test_the_proof_boots_the_root_as_the_card_does() -> None:
    """Read-only, by the label that the card's own command line has."""
    defaults = Path("image/files/etc/default")
    words = command_line().split()
    (root,) = re.findall(r"^ROOTPART=(.*)$", (defaults / "raspi-firmware").read_text(encoding="utf-8"), re.MULTILINE)
    assert f"root={root}" in words
    assert "ro" in words
    assert "ro" in (defaults / "raspi-extra-cmdline").read_text(encoding="utf-8").split()


def test_the_board_is_one_that_the_set_up_knows() -> None:
    """The device tree's name is a Pi's, and not a Pi 5's, whose sample is another one."""
    assert re.search("Raspberry Pi 4", MODEL)
    setup = Path("systemd/setup").read_text(encoding="utf-8")
    assert "Raspberry Pi 5" in setup


def test_the_module_is_built_by_sound_shell() -> None:
    """It stops at the first failure."""
    script = Path("tests/pi/build-modules")
    subprocess.run(["sh", "-n", script], check=True)
    assert "\nset -eu\n" in script.read_text(encoding="utf-8")
    assert os.access(script, os.X_OK)


def test_a_board_has_as_many_properties_as_it_is_given() -> None:
    """One that shares its memory has its device tree written too, and does not run for that."""
    machine = with_property(with_property(qemu(1, 512), "memory-backend=memory"), "dumpdtb=tree")
    assert machine[machine.index("-machine") + 1] == "virt,memory-backend=memory,dumpdtb=tree"
