"""What is set at a simulated device before a host meets it."""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from drivers.simulated.front_client import FrontClient, FrontRefusedError
from tests.rigs.devices_process import PINS, ask, devices
from tests.rigs.patience import PATIENCE_S

CCTALK = """
[coin_acceptor]
port = "tty-coin"
[bill_validator]
port = "tty-bill"
protocol = "cctalk"
"""


@pytest.mark.processes
def test_checksum_and_category_are_set_at_the_start() -> None:
    """`--fault` sets a validator's framing and its name: the specification's CRC frame meets its answer (part 3, 9)."""
    with TemporaryDirectory(prefix="hw") as directory:
        run = Path(directory)
        with devices(run, CCTALK, "bill crc16", "bill category"):
            assert ask(run / "tty-bill", "28 00 46 01 3F", 5) == "01 00 30 00 37"
            category = bytes.fromhex(ask(run / "tty-bill", "28 00 DD F5 90", 18))
            assert category[4:-1] == b"Bill Acceptor"
            assert ask(run / "tty-coin", "02 00 01 FE FF", 5) == "01 00 02 00 FD"


@pytest.mark.processes
@pytest.mark.parametrize(
    ("words", "error"), [("coin", "say `fault DEVICE"), ("coin rust", "there are"), ("bill crc16", "no fault 'crc16'")]
)
def test_a_setting_that_does_not_exist_ends_the_start(words: str, error: str) -> None:
    """Exit code 1, the words and those that there are; an ID-003 validator has no such checksum."""
    with TemporaryDirectory(prefix="hw") as directory:
        path = Path(directory) / "cabinet.toml"
        path.write_text(PINS + CCTALK.replace('"cctalk"', '"id003"\nparity = "none"'))
        command = [sys.executable, "-m", "drivers.simulated", "--config", str(path), "--run", directory]
        ended = subprocess.run(
            [*command, "--fault", words], capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
        assert (ended.returncode, f"--fault {words!r}" in ended.stderr) == (1, True)
        assert error in ended.stderr


ESSP = """
[bill_validator]
port = "tty-bill"
protocol = "ssp"
ssp_key = "1122334455667788"
[hopper]
port = "{port}"
protocol = "ssp"
coin_value_cents = {value}
ssp_key = "1122334455667788"
"""
SYNC_0, SYNC_16 = "7F 80 01 11 65 82", "7F 90 01 11 26 03"
SETUP_0, SETUP_16 = "7F 00 01 05 1E 08", "7F 10 01 05 5D 89"


@pytest.mark.processes
@pytest.mark.parametrize(("port", "value", "own_line"), [("tty-hopper", 100, True), ("tty-bill", 1000, False)])
def test_an_essp_hopper_has_its_line_and_a_recycler_its_validators(port: str, value: int, own_line: bool) -> None:  # noqa: FBT001
    """A SMART Hopper (unit type 3) answers on its own terminal; on the validator's port that one pays (type 6)."""
    with TemporaryDirectory(prefix="hw") as directory:
        run = Path(directory)
        with devices(run, ESSP.format(port=port, value=value)):
            assert ask(run / "tty-bill", SYNC_0, 6) == "7F 80 01 F0 23 80"
            assert (run / "tty-hopper").exists() == own_line
            if own_line:
                assert ask(run / "tty-bill", SETUP_0, 5).startswith("7F 00 35 F0 00")
                assert ask(run / "tty-hopper", SYNC_16, 6)[:11] == "7F 90 01 F0"
                assert ask(run / "tty-hopper", SETUP_16, 40)[9:14] == "F0 03"
            else:
                assert ask(run / "tty-bill", SETUP_0, 30)[9:14] == "F0 06"
            hand = FrontClient(run / "hardware.sock")
            hand.connect()
            assert hand.front.recycles != own_line
            if own_line:
                hand.do("fill 5")
                assert hand.front.hopper_coins == 505
            else:
                with pytest.raises(FrontRefusedError, match="by its mouth"):
                    hand.do("fill 5")
            hand.close()
