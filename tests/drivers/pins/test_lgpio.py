"""The library of the GPIO header on a cabinet: it loads wherever the supervisor starts, and each release is locked."""

import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.rigs.needing import skipped_where
from tests.rigs.paths import ROOT
from tests.rigs.patience import PATIENCE_S

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
OPENING = """
from drivers.errors import PortError
from drivers.gpio import open_header
try:
    open_header("lgpio").factory.close()
except PortError as error:
    assert "GPIO header" in str(error), error
import lgpio
print(lgpio.get_module_version())
"""


@pytest.mark.processes
@skipped_where(find_spec("lgpio") is None, "no wheel of lgpio for this Python", "run it with Python 3.12, or on a Pi")
def test_lgpio_loads_where_nothing_can_be_written(tmp_path: Path) -> None:
    """The unit starts in `/`, which is read-only; /proc takes a new file from nobody, from root neither."""
    for folder in (Path("/proc"), tmp_path):
        done = subprocess.run(
            [sys.executable, "-c", OPENING],
            cwd=folder,
            env={"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
        assert (done.stderr, done.stdout[:12]) == ("", "lgpio.py_0.2")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("python", "machine", "wanted"),
    [
        ("3.11", "aarch64", {"lgpio", "smbus2"}),
        ("3.12", "aarch64", {"lgpio", "smbus2"}),
        ("3.13", "aarch64", {"adafruit-lgpio", "smbus2"}),
        ("3.11", "x86_64", {"lgpio", "smbus2"}),
        ("3.13", "x86_64", {"smbus2"}),
        ("3.14", "aarch64", {"smbus2"}),
    ],
)
def test_a_cabinet_gets_a_library_that_has_a_wheel(python: str, machine: str, wanted: set[str]) -> None:
    """Bookworm has Python 3.11, Trixie 3.13: on both an aarch64 gets a real lgpio, and nothing has to be compiled."""
    where = {"python_version": python, "platform_machine": machine, "sys_platform": "linux"}
    asked = [Requirement(line) for line in PROJECT["optional-dependencies"]["pi"]]
    assert {one.name for one in asked if one.marker is None or one.marker.evaluate(where)} == wanted
    stub = Version("0.0.0.2")
    assert not [one for one in asked if one.name.endswith("lgpio") and one.specifier.contains(stub)]


def test_every_library_is_locked() -> None:
    """Whatever a cabinet, the bake or a developer needs has one release, inside the range that is asked for."""
    groups = (PROJECT["dependencies"], *PROJECT["optional-dependencies"].values())
    asked = [Requirement(line) for group in groups for line in group]
    lines = (ROOT / "constraints.txt").read_text("utf-8").split()
    locked = {canonicalize_name(name): version for name, version in (line.split("==") for line in lines)}
    for one in asked:
        if one.name != "cabinet":  # one group is built upon another
            assert one.specifier.contains(locked[canonicalize_name(one.name)]), one
