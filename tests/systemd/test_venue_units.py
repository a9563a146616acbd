"""The venue's units and package files: accepted by the system's own tools, hardened, and complete."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.rigs.needing import needs_tools
from tests.systemd.unit_files import SYSTEMD, settings, values

VENUE = SYSTEMD / "venue"
UNITS = sorted((VENUE / "units").iterdir())
SERVICES = [unit for unit in UNITS if unit.suffix == ".service"]
PROGRAM = "/opt/cabinet-venue"

needs_analyze = needs_tools("systemd-analyze", packages="systemd")


@needs_analyze
def test_the_service_manager_finds_nothing_wrong(tmp_path: Path) -> None:
    """`systemd-analyze verify` is silent about every unit, where their programs exist."""
    programs = tmp_path / "opt/venv/bin"
    programs.mkdir(parents=True)
    for name in ("python", "gunicorn", "cabinet"):
        (programs / name).write_text("#!/bin/sh\n", encoding="utf-8")
        (programs / name).chmod(0o755)
    for unit in UNITS:
        text = unit.read_text(encoding="utf-8").replace(PROGRAM, str(tmp_path / "opt"))
        (tmp_path / unit.name).write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", *(tmp_path / unit.name for unit in UNITS)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert [line for line in (done.stdout + done.stderr).splitlines() if "cabinet-venue" in line] == []


@needs_analyze
@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.stem)
def test_every_service_is_hardened(unit: Path) -> None:
    """`systemd-analyze security` gives each an exposure below 3.0 of 10: the page is on the network."""
    command = ["systemd-analyze", "security", "--offline=true", "--threshold=30", "--no-pager", str(unit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-200:]


def test_the_scripts_name_every_unit() -> None:
    """What the package installs to run by itself is started, stopped and disabled with it."""
    wanted = {
        unit.name for unit in UNITS if any(name == "WantedBy" for name, _ in settings(unit))
    }  # the daily service is its timer's
    for script in ("postinst", "prerm"):
        text = (VENUE / "debian" / script).read_text(encoding="utf-8")
        assert {name for name in wanted if text.count(name) == 2} == wanted, script
    assert {unit.name for unit in UNITS} - wanted == {"cabinet-venue-daily.service"}


@pytest.mark.parametrize("script", ["make-deb", "cabinet-venue", "debian/postinst", "debian/prerm", "debian/postrm"])
def test_every_script_is_one_for_sh(script: str) -> None:
    """`sh -n` reads each, and it may be executed."""
    path = VENUE / script
    assert path.stat().st_mode & 0o111
    subprocess.run(["sh", "-n", path], check=True)


LINK = "cabinet-venue-link.service"
VENUE_TABLE = "[venue]\nhost = 'venue.example'\n"


def more_units(folder: Path, configuration: str) -> list[str]:
    """Run `more-units` with a `systemctl` that notes its arguments; return them, a call each."""
    programs, calls, file = folder / "bin", folder / "calls", folder / "cabinet.toml"
    programs.mkdir()
    (programs / "systemctl").write_text(f'#!/bin/sh\necho "$@" >>{calls}\n', encoding="utf-8")
    (programs / "systemctl").chmod(0o755)
    file.write_text(configuration, encoding="utf-8")
    path = f"{programs}:{os.environ['PATH']}"
    subprocess.run(["sh", SYSTEMD / "more-units", file], check=True, env={"PATH": path}, capture_output=True)
    said = calls.read_text(encoding="utf-8") if calls.exists() else ""
    return [call for call in said.splitlines() if not call.startswith("restart")]


def test_the_link_is_enabled_only_where_a_venue_is_configured(tmp_path: Path) -> None:
    """The one unit with a network runs at no cabinet without `[venue]`, and no longer where the table was taken out."""
    for number, (configuration, calls) in enumerate(
        [
            (VENUE_TABLE, [f"--quiet enable {LINK}"]),
            ("", [f"--quiet disable --now {LINK}"]),
            ("venue = 1\n", [f"--quiet disable --now {LINK}"]),
            ("[venue\n", []),
        ]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert more_units(folder, configuration) == calls, configuration


def test_setup_and_teardown_name_the_link() -> None:
    """It can be enabled, setup looks at the configuration, and teardown stops and disables it."""
    assert values(LINK, "WantedBy") == ["multi-user.target"]
    assert '"$here/more-units" $config' in (SYSTEMD / "setup").read_text(encoding="utf-8").splitlines()
    teardown = (SYSTEMD / "teardown").read_text(encoding="utf-8")
    named = teardown.partition("units='")[2].partition("'")[0].split()
    assert LINK in named


def test_the_installed_environment_has_the_client_that_the_link_needs() -> None:
    """The staged tree has the extra of cabinets in a venue."""
    assert "EXTRAS=${EXTRAS-pi,fleet,printer}" in (SYSTEMD / "stage").read_text(encoding="utf-8").splitlines()
