"""What the Pi proof fits to the emulated cabinet, as far as it can be seen without booting it."""

import ast
import sys
from pathlib import Path

from controller.configuration.cabinet_toml import load
from tests.pi.fitted import ADAPTERS, SAMPLE, configuration
from tests.pi.pi_proof import CHECKS, GUEST


def test_the_configuration_is_the_sample_but_for_sockets_and_second_copy(tmp_path: Path) -> None:
    """A cabinet takes it, and its pins are those of docs/cabinet.toml."""
    path = tmp_path / "cabinet.toml"
    path.write_text(configuration(), encoding="utf-8")
    config, sample = load(path), load(SAMPLE)
    assert config.pins == sample.pins
    assert config.coin_acceptor is not None
    assert config.bill_validator is not None
    assert config.hopper is not None
    ports = [config.coin_acceptor.port, config.bill_validator.port, config.hopper.port]
    assert [port.rpartition("usb-0:")[2] for port in ports] == [f"{n}:1.0-port0" for n in ADAPTERS.values()]
    assert config.cabinet.second_copy_file is not None


def test_what_runs_outside_the_drivers_needs_the_standard_library_alone() -> None:
    """Its interpreter is the image's, which has no packages."""
    for name in ("outside.py", "hands.py", "shows.py", "shut.py", "finger.py"):
        for node in ast.walk(ast.parse((GUEST / name).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert {one.name.split(".")[0] for one in node.names} <= sys.stdlib_module_names
            elif isinstance(node, ast.ImportFrom):
                assert (node.module or "").split(".")[0] in sys.stdlib_module_names


def test_each_check_has_a_name_of_its_own() -> None:
    """Its picture is kept by that name."""
    names = [check.__name__ for check in CHECKS]
    assert len(set(names)) == len(names)
