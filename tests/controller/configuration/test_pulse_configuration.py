"""Tests of the rules for pulse acceptors in `cabinet.toml`."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.configuration.cabinet_toml import parse
from tests.rigs.configurations import SMALLEST, problems

COIN = """
[pins.pulse.coin]
currency = "EUR"
enable = 23

[pins.pulse.coin.channels.a]
pin = 25
values_cents = { 1 = 50, 2 = 100 }
"""


def keys(text: str) -> list[str]:
    """Return the keys of what `text` is refused for."""
    return [problem.partition(":")[0] for problem in problems(text)]


def test_a_pulse_acceptor_has_values_by_its_number_of_pulses() -> None:
    """The sample of the documentation is read as it is meant."""
    acceptor = parse(SMALLEST + COIN).pins.pulse["coin"]
    assert acceptor.channels["a"].values == {1: 50, 2: 100}
    assert (
        acceptor.enable,
        acceptor.active,
        acceptor.least_ms,
        acceptor.most_ms,
        acceptor.end_ms,
    ) == (23, 0, 15, 150, 400)


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('"EUR"', '"GBP"', "pins.pulse.coin.currency"),
        ('"EUR"', '"XXX"', "pins.pulse.coin.currency"),
        ("{ 1 = 50, 2 = 100 }", "{}", "pins.pulse.coin.channels.a.values_cents"),
        ("1 = 50", "0 = 50", "pins.pulse.coin.channels.a.values_cents.0"),
        ("1 = 50", "251 = 50", "pins.pulse.coin.channels.a.values_cents.251"),
        ("1 = 50", "01 = 50", "pins.pulse.coin.channels.a.values_cents.01"),
        ("1 = 50", "one = 50", "pins.pulse.coin.channels.a.values_cents.one"),
        ("1 = 50", "1 = 0", "pins.pulse.coin.channels.a.values_cents.1"),
        ("channels.a]", "channels.z]", "pins.pulse.coin.channels.z"),
        ("pulse.coin]", "pulse.token]", "pins.pulse.token"),
        ("enable = 23", 'enable = "x20.A0"', "pins.pulse.coin.enable"),
        ("pin = 25", 'pin = "x20.A0"', "pins.pulse.coin.channels.a.pin"),
        ("pin = 25", "pin = 23", "pins.pulse.coin.channels.a.pin"),
        ("enable = 23", "most_ms = 400", "pins.pulse.coin.end_ms"),
        ("enable = 23", "least_ms = 30\nmost_ms = 30", "pins.pulse.coin.least_ms"),
    ],
)
def test_what_cannot_work_is_refused_by_its_key(old: str, new: str, key: str) -> None:
    """Currency, values, pins and times that contradict something are problems of that key."""
    assert key in keys(SMALLEST + COIN.replace(old, new))


def test_an_acceptor_without_channels_is_refused() -> None:
    """Nothing would ever be counted."""
    text = SMALLEST + '[pins.pulse.note]\ncurrency = "EUR"\n[pins.pulse.note.channels]\n'
    assert keys(text) == ["pins.pulse.note.channels"]


@pytest.mark.parametrize(("enable", "warnings"), [("enable = 23", 1), ("", 2)])
def test_check_config_says_what_nobody_can_promise(tmp_path: Path, enable: str, warnings: int) -> None:
    """Each pulse acceptor is a warning, and so is a missing inhibit line."""
    file = tmp_path / "cabinet.toml"
    file.write_text(SMALLEST + COIN.replace("enable = 23", enable), encoding="utf-8")
    outcome = CliRunner().invoke(main, ["check-config", "--quick", str(file)])
    assert outcome.stderr.count("Warning: pins.pulse.coin") == warnings
