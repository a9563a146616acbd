"""The display's user gets its part of cabinet.toml, and cannot read the file, which has the hopper's PIN."""

import grp
import os
import runpy
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from controller.cli import main
from controller.commands.display import arguments_of, read_settings
from controller.configuration.cabinet_toml import Screen, load
from controller.configuration.exposed import exposed_pin
from tests.systemd.unit_files import SYSTEMD, settings, values

PIN = "87654321"
SCRIPT = runpy.run_path(str(SYSTEMD / "display_settings.py"))
SAMPLE = Path(__file__).parents[2] / "docs" / "cabinet.toml"


def configuration(folder: Path) -> Path:
    """A cabinet.toml with a hopper's PIN."""
    file = folder / "cabinet.toml"
    text = SAMPLE.read_text("utf-8")
    for sample, own in (('pin = ""', f'pin = "{PIN}"'), ('language = "en"', 'language = "de"')):
        assert text.count(sample) == 1
        text = text.replace(sample, own)
    file.write_text(text, encoding="utf-8")
    return file


def test_the_script_writes_what_the_display_needs_and_no_more(tmp_path: Path) -> None:
    """With it alone the display is started as with the whole file: its socket, art, monitor and language."""
    file, target = configuration(tmp_path), tmp_path / "display.toml"
    command = [sys.executable, "-I", str(SYSTEMD / "display_settings.py"), str(file), str(target)]
    subprocess.run(command, check=True)
    config, exposed = load(file), read_settings(target)
    assert (exposed.display, exposed.cabinet.display_socket) == (config.display, config.cabinet.display_socket)
    assert PIN not in target.read_text("utf-8")
    assert "[hopper]" not in target.read_text("utf-8")
    assert read_settings(file).display == config.display
    assert arguments_of(exposed) == arguments_of(read_settings(file))
    assert "--language de" in " ".join(arguments_of(exposed))


@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=40), st.integers(20, 100))
def test_whatever_is_written_there_arrives(words: str, percent: int) -> None:
    """Any path and any figure, with quotes, backslashes and control characters in it."""
    tables = {"cabinet": {"run_dir": words}, "display": {"baked": words, "brightness_percent": percent}}
    tables |= {"games": {"folder": words}}
    assert msgspec.toml.decode(SCRIPT["extract"](tables)) == tables


def test_every_key_of_the_display_is_written() -> None:
    """A new key of [display] must not be lost on the way."""
    assert SCRIPT["EXPOSED"]["display"] == Screen.__struct_fields__


@pytest.mark.parametrize("content", [None, "[display", b"\xff", "deep = " + "[" * 100_000, f"n = {'9' * 5_000}"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, content: str | bytes | None) -> None:
    """The script ends with 1, and what was written before stays."""
    file, target = tmp_path / "cabinet.toml", tmp_path / "display.toml"
    target.write_text("before")
    if content is not None:
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert SCRIPT["main"]([str(file), str(target)]) == 1
    assert target.read_text() == "before"
    assert CliRunner().invoke(main, ["display", str(file)]).exit_code == 1


def test_the_installed_file_is_closed_to_the_display() -> None:
    """Its group is the supervisor's, to which the display's user does not belong; its unit does not even see it."""
    rules = (SYSTEMD / "conf" / "tmpfiles.conf").read_text("utf-8").splitlines()
    assert "z /etc/cabinet/cabinet.toml 0640 root cabinet -" in rules
    assert "d /etc/cabinet 0750 root cabinet -" in rules
    members = [line for line in (SYSTEMD / "conf" / "sysusers.conf").read_text("utf-8").splitlines() if line[:1] == "m"]
    assert members == ["m cabinet cabinet-display"]
    said = dict(settings(SYSTEMD / "units" / "cabinet-display.service"))
    assert "cabinet" not in said["SupplementaryGroups"].split()
    assert "-/etc/cabinet" in said["InaccessiblePaths"].split()
    assert not any("/etc/cabinet" in start for start in values("cabinet-display.service", "ExecStart"))
    (writes,) = values("cabinet-display-settings.service", "ExecStart")
    assert writes.split()[-1] == values("cabinet-display.service", "ExecStart")[0].split()[-1]


def test_who_may_read_the_pin_is_warned_about(tmp_path: Path) -> None:
    """Everybody, or the display's group; not the supervisor's, and not where there is no PIN."""
    file = configuration(tmp_path)
    config, own = load(file), grp.getgrgid(os.getgid()).gr_name
    for mode, group, who in (
        (0o644, "nobody's", "everybody"),
        (0o640, own, "the display's user"),
        (0o640, "nobody's", ""),
        (0o600, own, ""),
    ):
        file.chmod(mode)
        warning = exposed_pin(file, config, group)
        assert (who in warning) if who else warning == ""
    file.chmod(0o644)
    assert exposed_pin(file, load(SAMPLE)) == ""
    done = CliRunner().invoke(main, ["check-config", "--quick", str(file)])
    assert f"Warning: {file}: hopper.pin: may be read by everybody" in done.output
    assert PIN not in done.output
