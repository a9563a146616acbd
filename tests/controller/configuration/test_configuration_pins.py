"""The samples for both Pis, and what `cabinet.toml` may say of pins, expanders, latch and tower."""

import tomllib

import msgspec
import pytest

from controller.configuration.cabinet_toml import load
from controller.configuration.tower import Tower
from tests.rigs.configurations import problems
from tests.rigs.paths import SAMPLE

PI_5 = SAMPLE.with_name("cabinet-pi5.toml")
DEVICES = ("coin_acceptor", "bill_validator", "hopper")


def test_the_two_samples_are_one_cabinet_wired_in_two_ways() -> None:
    """Pi 4 on the header alone, Pi 5 with an expander: besides pins and the names of ports nothing differs."""
    one, other = (msgspec.to_builtins(load(path)) for path in (SAMPLE, PI_5))
    for tables in (one, other):
        del tables["pins"]
        for device in DEVICES:
            assert tables[device].pop("port").startswith("/dev/serial/by-path/platform-")
    assert one == other
    here, there = (tomllib.loads(path.read_text()) for path in (SAMPLE, PI_5))
    assert {name: list(table) for name, table in here.items() if name != "pins"} == {
        name: list(table) for name, table in there.items() if name != "pins"
    }


def test_the_samples_say_the_tower_s_defaults() -> None:
    """What an installer reads there is what he gets when he takes it out."""
    for path in (SAMPLE, PI_5):
        assert load(path).tower == Tower()
        assert set(tomllib.loads(path.read_text())["tower"]) == {*Tower.__struct_fields__} - {"denominations"}


def test_every_output_of_the_samples_is_off_while_the_pi_boots() -> None:
    """The header's outputs lie on 9 to 27, which are pulled low until a program drives them; all coils are there."""
    for path in (SAMPLE, PI_5):
        pins = load(path).pins
        outputs = [*(meter.pin for meter in pins.meters.values()), *(tier.pin for tier in pins.tower.values())]
        outputs += [*(button.lamp for button in pins.buttons.values()), *(gate.pin for gate in pins.coin.values())]
        outputs += [expander.reset for expander in pins.expanders.values()]
        outputs += [pins.logic_latch.reset] if pins.logic_latch else []
        header = [pin for pin in outputs if isinstance(pin, int)]
        assert [pin for pin in header if pin < 9] == []
        assert all(pin in header for pin in (meter.pin for meter in pins.meters.values()))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('"x20.A0"', '"x20.A8"', "pins.meters.coin_in.sense: 'x20.A8' is no pin; give a BCM number, or an expander's"),
        ('"x20.A0"', '"x20.A1"', "pins.meters.coin_out.sense: is pin x20.A1, which pins.meters.coin_in.sense has"),
        ('"x20.A0"', '"x21.A0"', "pins.meters.coin_in.sense: is x21.A0, and there is no expander x21; add [pins.expan"),
        ('"x20.A0"', '"x20.A7"', "pins.meters.coin_in.sense: is x20.A7, which its maker allows as an output only"),
        ('"x20.A0"', "true", "pins.meters.coin_in.sense: must be a BCM number or an expander's pin such as"),
        ('"x20.A0"', "28", "pins.meters.coin_in.sense: is 28; give 0 to 27"),
        ("pin = 13,", 'pin = "x20.A7",', "pins.meters.coin_in.pin: is x20.A7, but an expander that"),
        ("lockout = { pin = 22", 'lockout = { pin = "x20.A7"', "pins.coin.lockout.pin: is x20.A7, but an"),
        ("pin = 12,", 'pin = "x20.A7",', "pins.doors.main.pin: is x20.A7, but an expander that"),
        ("pin = 18", 'pin = "x20.A7"', "pins.logic_latch.pin: is x20.A7, but an expander that"),
        ("pin = 12,", "pin = 3,", "pins.doors.main.pin: is pin 3, which the expanders' I2C bus needs"),
        ("interrupt = 20", "interrupt = 11", "pins.buttons.spin.pin: is pin 11, which pins.expanders.x20"),
        ("reset = 21", 'reset = "x20.A7"', "pins.expanders.x20.reset: must be a whole number, not 'x20.A7'"),
        ("expanders.x20]", "expanders.x28]", "pins.expanders.x28: is no expander;"),
        ("poll_ms = 5\n", "poll_ms = 100\n", "pins.expanders.x20.poll_ms: is 100; give 2 to 50"),
        ("logic = { pin = 17, active = 1 }", "", "pins.logic_latch: is the logic door's, which is missing; add"),
        ('technician = { pin = "x20.A6", active = 0 }', "", "pins.logic_latch: locks the cabinet until a technician's"),
    ],
)  # fmt: skip
def test_each_mistake_with_an_expander_is_named(old: str, new: str, expected: str) -> None:
    """By its key, with the remedy: the first problem is that of the mistake."""
    text = PI_5.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{old!r} must be in the sample exactly once"
    assert problems(text.replace(old, new))[0].startswith(expected)
