"""What a builder may write down by mistake is refused with its key and remedy, or warned of, before it costs money."""

import subprocess
import sys
from codecs import BOM_UTF8
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.configuration.advice import advice
from controller.configuration.cabinet_toml import ConfigurationError, load, parse
from drivers.currency import CURRENCIES
from tests.rigs.configurations import SMALLEST, problems
from tests.rigs.paths import ROOT, SAMPLE

COIN = '[coin_acceptor]\nport = "/dev/cabinet/usb1"\n'
NOTES = '[bill_validator]\nport = "/dev/cabinet/usb2"\n'
HOPPER = '[hopper]\nport = "/dev/cabinet/usb3"\n'
PRINTER = '[ticket_printer]\nport = "/dev/cabinet/printer"\nlink = "usb"\n'
PULSES = 'currency = "EUR", channels.a = {{pin = 20, values_cents = {{2 = 50}}}}'
LATCH = "doors = {logic = {pin = 17}}\nkeys = {attendant = {pin = 12}, technician = {pin = 11}}"


def pinned(table: str) -> str:
    """The smallest cabinet with this besides in `[pins]`."""
    return SMALLEST.replace("tower = {}\n", "").replace("meters = {}\n", "") + (
        table if "meters" in table else f"meters = {{}}\n{table}"
    )


@pytest.mark.parametrize("pin", range(9))
@pytest.mark.parametrize(
    ("table", "key"),
    [
        ("tower = {{}}\nmeters = {{coin_in = {{pin = {pin}}}}}", "pins.meters.coin_in.pin"),
        ("tower = {{}}\ncoin = {{lockout = {{pin = {pin}}}}}", "pins.coin.lockout.pin"),
        (
            f"tower = {{{{}}}}\npulse.coin = {{{{{PULSES}, enable = {{pin}}}}}}",
            "pins.pulse.coin.enable",
        ),
    ],
)
def test_an_output_that_must_be_off_while_the_pi_boots_is_on_no_pulled_up_pin(table: str, key: str, pin: int) -> None:
    """GPIO 0 to 8 are high until a program drives them: a meter's coil would burn, a gate let coins in."""
    (found,) = problems(pinned(table.format(pin=pin)))
    assert found.startswith(f"{key}: is pin {pin}, which the Pi pulls up while it boots: ")
    assert found.endswith("; take one of 9 to 27")
    parse(pinned(table.format(pin=9)))


def test_a_latch_is_not_reset_by_a_start() -> None:
    """A reset line that is high while the Pi boots would forget an opening of the logic door."""
    text = SMALLEST.replace("doors = {}\nkeys = {attendant = {pin = 12}}", LATCH)
    (found,) = problems(f"{text}logic_latch = {{pin = 18, reset = 5}}\n")
    assert "pins.logic_latch.reset: is pin 5" in found
    parse(f"{text}logic_latch = {{pin = 5, reset = 18}}\n")


def test_expander_pins_are_not_pulled_up_by_the_pi() -> None:
    """An expander's outputs are off until it is driven: only the header's pins are refused."""
    lit = 'expanders = {x20 = {}}\nbuttons = {spin = {pin = 4, lamp = "x20.A0"}}\n'
    assert not [one for one in advice(parse(SMALLEST.replace("buttons = {}\n", lit))) if "lamp" in one.key]


def test_a_light_that_is_on_while_the_pi_boots_is_warned_of() -> None:
    """It harms nobody."""
    text = SMALLEST.replace("buttons = {}", "buttons = {spin = {pin = 9, lamp = 4}}").replace(
        "tower = {}", "tower = {top = {pin = 5}, bottom = {pin = 20}}"
    )
    found = {one.key: one.text for one in advice(parse(text))}
    assert found["pins.buttons.spin.lamp"].startswith("is pin 4, which the Pi pulls up while it boots")
    assert "pins.tower.top.pin" in found
    assert "pins.tower.bottom.pin" not in found


def test_a_cabinet_that_no_technician_can_set_up_is_warned_of() -> None:
    """Without a main door or a technician's key its guide, tests and settings never open."""
    ways = {"pins.doors.main", "pins.keys.technician"}
    assert ways <= {one.key for one in advice(parse(SMALLEST))}
    assert not ways & {one.key for one in advice(parse(SAMPLE.read_text("utf-8")))}


@pytest.mark.parametrize(
    "port", ["COM3", "ttyUSB0", "dev/ttyS0", "/dev/COM3", "/etc/passwd", "/dev/../etc/passwd", "/dev"]
)
def test_a_port_is_a_device_file(port: str) -> None:
    """Names of other systems, and paths from wherever the program starts."""
    assert problems(SMALLEST + COIN.replace("/dev/cabinet/usb1", port)) == [
        f"coin_acceptor.port: is {port!r}; give a device file, such as /dev/cabinet/usb1 or one in /dev/serial/by-path"
    ]


@pytest.mark.parametrize(
    "port",
    [
        *("/dev/ttyUSB0", "/dev/ttyUSB11", "/dev/ttyACM1", "/dev/hidraw0"),
        *("/dev//ttyUSB0", "/dev/../dev/ttyUSB0", "/dev/./ttyACM0", "//dev/ttyUSB0"),
    ],
)
def test_an_adapter_is_named_by_its_socket(port: str) -> None:
    """Two adapters may change their numbers with the next start: the hopper's would be the validator's."""
    (found,) = problems(SMALLEST + NOTES.replace("/dev/cabinet/usb2", port))
    assert found.startswith(f"bill_validator.port: is {port}: its number changes with the order of the adapters")
    for other in ("/dev/ttyAMA0", "/dev/serial/by-id/usb-1", "/dev/serial/by-path/pci-1-port0"):
        parse(SMALLEST + NOTES.replace("/dev/cabinet/usb2", other))


@pytest.mark.parametrize(
    ("text", "key", "what"),
    [
        ("[limits]\nnotes_cents = [700]", "limits.notes_cents[0]", "is 700, and there is no such note of EUR"),
        ("[limits]\nnotes_cents = [500, 100]", "limits.notes_cents[1]", "is 100, and there is no such note of EUR"),
        (f"{COIN}coins_cents = [3, 50, 7]", "coin_acceptor.coins_cents[0]", "is 3, and there is no such coin of EUR"),
        (f"{HOPPER}coin_value_cents = 25", "hopper.coin_value_cents", "is 25, and there is no such coin of EUR"),
        (
            f'{HOPPER}coin_value_cents = 25\nprotocol = "ssp"',
            "hopper.coin_value_cents",
            "is 25, and there is no such coin or note of EUR",
        ),
        (
            '[limits]\nnotes_cents = [20000]\n[cabinet.money]\ncurrency = "GBP"',
            "limits.notes_cents[0]",
            "is 20000, and there is no such note of GBP",
        ),
        (
            '[limits]\nnotes_cents = [300]\n[cabinet.money]\nsymbol = "$"',
            "limits.notes_cents[0]",
            "is 300, and there is no such note of USD",
        ),
    ],
)
def test_coins_and_notes_are_those_of_the_currency(text: str, key: str, what: str) -> None:
    """One that does not exist is a slip: the device would take nothing, or something else."""
    assert any(found.startswith(f"{key}: {what}; choose of: ") for found in problems(SMALLEST + text))


@pytest.mark.parametrize("channel", ["coin", "note"])
def test_a_burst_of_pulses_is_a_coin_or_a_note(channel: str) -> None:
    """A value that no coin has would be credited all the same."""
    acceptor = f'pulse.{channel} = {{currency = "EUR", channels.a = {{pin = 20, values_cents = {{2 = 300}}}}}}'
    (found,) = problems(pinned(f"tower = {{}}\n{acceptor}"))
    assert found.startswith(f"pins.pulse.{channel}.channels.a.values_cents.2: is 300, and there is no such {channel}")


@pytest.mark.parametrize("code", CURRENCIES)
def test_every_coin_and_note_of_a_currency_may_be_named(code: str) -> None:
    """And the default notes, of which a currency may lack one."""
    currency = CURRENCIES[code]
    money = f'[cabinet.money]\ncurrency = "{code}"\n'
    parse(f"{SMALLEST}{money}[limits]\nnotes_cents = {list(currency.notes_cents)}\n")
    parse(f"{SMALLEST}{money}{COIN}coins_cents = {list(currency.coins_cents)}\n")
    for coin in currency.coins_cents:
        parse(f"{SMALLEST}{money}{HOPPER}coin_value_cents = {coin}\n")
    parse(SMALLEST + money)


@pytest.mark.parametrize(
    ("text", "key", "lost"),
    [
        ('[tickets]\nlines = ["Café", "日本 5"]', "tickets.lines[1]", "日, 本"),
        ('[cabinet]\nname = "日本 5"', "cabinet.name", "日, 本"),
        ('[cabinet.money]\nsymbol = "₪"', "cabinet.money.symbol", "₪"),
        ('[cabinet.money]\ndecimal = "\u066b"', "cabinet.money.decimal", "\u066b"),
        ('[cabinet.money]\nthousands = "\u066c"', "cabinet.money.thousands", "\u066c"),
    ],
)
def test_what_a_ticket_says_can_be_printed(text: str, key: str, lost: str) -> None:
    """A line of question marks is no address; what has a near letter is printed with that."""
    (found,) = problems(f"{SMALLEST}{PRINTER}{text}\n")
    assert found.startswith(f"{key}: would print {lost} as question marks: ")
    parse(f"{SMALLEST}{text}\n")


def test_umlauts_signs_and_near_letters_are_printed() -> None:
    """The pages have them, or what is nearest."""
    parse(f'{SMALLEST}{PRINTER}[tickets]\nlines = ["Spielhalle „Süd“ ß € ł ő ?"]\n')


def test_an_input_device_is_named_by_what_it_is() -> None:
    """Its number is another one as soon as a keyboard is plugged in."""
    wedge = f'{SMALLEST}[cards]\nreader = "wedge"\nmode = "instead"\ndevice = "/dev/input/'
    for number in ("event3", "../input/event0"):
        (found,) = problems(f'{wedge}{number}"\n')
        assert found.startswith(f"cards.device: is /dev/input/{number}: its number changes")
    parse(f'{wedge}by-id/usb-reader-event-kbd"\n')


def test_the_headers_line_is_known_however_it_is_written() -> None:
    """Pins 14 and 15 are its own."""
    text = SMALLEST.replace("attendant = {pin = 12}", "attendant = {pin = 14}")
    (found,) = problems(text + COIN.replace("/dev/cabinet/usb1", "/dev//ttyAMA0"))
    assert found.startswith("pins.keys.attendant.pin: is pin 14, which coin_acceptor.port (/dev//ttyAMA0) needs")


def test_a_switch_whose_cut_wire_goes_unseen_is_warned_of(tmp_path: Path) -> None:
    """The safe levels are the defaults; check-config names each other one."""
    safe = SMALLEST.replace("doors = {}", "doors = {main = {pin = 5}}")
    assert parse(safe).pins.doors["main"].active == 1
    assert not [one.key for one in advice(parse(safe)) if one.key.endswith(".active")]
    file = tmp_path / "cabinet.toml"
    file.write_text(
        SAMPLE.read_text()
        .replace("main = { pin = 2, active = 1 }", "main = { pin = 2, active = 0 }")
        .replace("technician = { pin = 1, active = 0 }", "technician = { pin = 1, active = 1 }")
    )
    said = CliRunner().invoke(main, ["check-config", "--quick", str(file)]).output
    for words in (
        "pins.doors.main.active: lets a cut wire go unnoticed; wire the switch the other way round",
        "pins.keys.technician.active: lets a cut wire go unnoticed; wire the switch the other way round",
    ):
        assert f"Warning: {file}: {words}" in said


READERS = {
    "the drop-ins of the units": ("systemd/unit_options.py", "{file}"),
    "the copies around an upgrade": ("systemd/journal_copies.py", "where", "{file}"),
    "the display's part": ("systemd/display_settings.py", "{file}", "{file}.display"),
}


@pytest.mark.parametrize("reader", READERS)
def test_a_byte_order_mark_is_read_over_by_whoever_reads_the_file(tmp_path: Path, reader: str) -> None:
    """Windows' editors begin a UTF-8 file with it."""
    file = tmp_path / "cabinet.toml"
    file.write_bytes(BOM_UTF8 + SAMPLE.read_bytes())
    assert load(file) == load(SAMPLE)
    command = [part.format(file=file) for part in READERS[reader]]
    done = subprocess.run([sys.executable, *command], check=False, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_name_that_windows_hides_is_named(tmp_path: Path) -> None:
    """cabinet.toml.txt, where cabinet.toml is looked for."""
    (tmp_path / "cabinet.toml.txt").write_text(SMALLEST)
    with pytest.raises(ConfigurationError, match=r"cannot be read .*; cabinet\.toml\.txt is there: rename it"):
        load(tmp_path / "cabinet.toml")
