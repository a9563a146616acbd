"""`cabinet doctor` on the computer that the tests run on: whatever it is, it is reported and nothing fails."""

import json
from pathlib import Path

from click.testing import CliRunner

from controller.cli import main


def test_this_computer_is_reported_without_a_configuration(tmp_path: Path) -> None:
    """Text and JSON have the same subjects; the exit code is 1 exactly where something is to be mended."""
    file = str(tmp_path / "cabinet.toml")
    table = CliRunner().invoke(main, ["doctor", file])
    found = CliRunner().invoke(main, ["doctor", "--json", file])
    read = json.loads(found.stdout)
    assert {table.exit_code, found.exit_code} == {0 if read["well"] else 1}
    assert {"board", "groups", "ports", "room", "units"} <= {one["subject"] for one in read["findings"]}
    assert f"there is no {file}" in table.stdout
