import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st

from controller.cli import main
from controller.configuration.cabinet_toml import Config, ConfigurationError, load, parse
from controller.configuration.fields import Problem
from controller.play.worlds import problems_with_worlds
from controller.session import betting
from drivers.validator_protocols import ticket_readers
from gamekit import catalogue
from gamekit.catalogue import names
from games.witch_feature.pays import TOTAL_BETS
from tests.rigs.configurations import SMALLEST, problems
from tests.rigs.paths import SAMPLE

SYMBOL = 'symbol = "€"'
CURRENCY = 'currency = "EUR"'
COUNTRY = 'country = ""'
ENABLED = "enabled = " + str(list(names())).replace("'", '"')


def changed(old: str, new: str) -> str:
    """The sample file with one passage changed."""
    text = SAMPLE.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{old!r} must be in the sample exactly once"
    return text.replace(old, new)


def test_the_sample_is_valid() -> None:
    """The sample loads, as a cabinet that is no demo's."""
    config = load(SAMPLE)
    assert config.pins.buttons["spin"].lamp == 23
    assert config.cabinet.display_socket == Path("/run/cabinet/display.sock")
    assert config.simulated is False


def test_the_smallest_file_gets_the_defaults() -> None:
    """Pins are all that must be said; devices without a table are not fitted."""
    config = parse(SMALLEST)
    assert config.games.coin_values_cents == (1, 2, 5, 10, 20, 50, 100)
    assert config.hopper is None
    assert config.pins.factory == "lgpio"


def test_a_cabinet_names_the_bets_of_games_bet_by_their_total() -> None:
    """What is named is on offer, and a game that is not named offers its usual bets."""
    games = parse(SMALLEST + "[games.bets_cents]\nmystery_elves = [20, 8000]").games
    assert betting.total_bets(catalogue.load("mystery_elves"), games) == (20, 8000)
    assert betting.total_bets(catalogue.load("witch_feature"), games) == TOTAL_BETS.usual_cents


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("mystery_elves = [15]", "games.bets_cents.mystery_elves[0]: is 15; give multiples of 10 cents, 10 to 8000"),
        ("witch_feature = [50, 8050]", "games.bets_cents.witch_feature[1]: is 8050; give multiples of 50 cents"),
        ("witch_feature = [0]", "games.bets_cents.witch_feature[0]: is 0; give multiples of 50 cents, 50 to 8000"),
        ("mystery_elves = []", "games.bets_cents.mystery_elves: is empty; name at least one"),
        ("mystery_elves = [20, 10]", "games.bets_cents.mystery_elves: does not rise; name each bet once"),
        ("mystery_elves = [20, 20]", "games.bets_cents.mystery_elves: does not rise; name each bet once"),
        ("neptune = [100]", "games.bets_cents.neptune: names bets of a game that is bet in lines"),
        ("elves = [10]", "games.bets_cents.elves: is no game;"),
        ('mystery_elves = "10"', "games.bets_cents.mystery_elves: must be a list of whole numbers"),
    ],
)
def test_bets_that_cannot_be_played_are_refused(line: str, problem: str) -> None:
    """Each bet must be a whole multiple of the game's unit up to its highest, the lowest first."""
    found = problems(SMALLEST + f"[games.bets_cents]\n{line}")
    assert len(found) == 1
    assert found[0].startswith(problem)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("bewitched = 500001", "games.gamble_cap_cents.bewitched: is 500001; give 0 to 500000 (cents;"),
        ("mystery_elves = -1", "games.gamble_cap_cents.mystery_elves: is -1; give 0 to 12500000 (cents;"),
        ("neptune = 100", "games.gamble_cap_cents.neptune: caps the gamble of a game that has none; take it out"),
        ("elves = 10", "games.gamble_cap_cents.elves: is no game;"),
        ("bewitched = true", "games.gamble_cap_cents.bewitched: must be a whole number"),
    ],
)
def test_a_gamble_s_cap_is_lowered_and_never_raised(line: str, words: str) -> None:
    """Each game's own cap is the highest that may be set, and 0 the lowest."""
    assert parse(
        SMALLEST + "[games.gamble_cap_cents]\nbewitched = 0\nmystery_elves = 12500000"
    ).games.gamble_cap_cents == {
        "bewitched": 0,
        "mystery_elves": 12_500_000,
    }
    found = problems(SMALLEST + f"[games.gamble_cap_cents]\n{line}")
    assert [problem for problem in found if problem.startswith(words)], found


def test_the_monitor_has_one_of_three_shapes() -> None:
    """A wide one is drawn at either scale, the others at 1x; what cannot be drawn is refused before it stays dark."""
    assert parse(SMALLEST + '[display]\nshape = "portrait"').display.shape == "portrait"
    assert parse(SMALLEST + '[display]\nscale = "1.5x"').display.shape == "wide"
    found = problems(SMALLEST + '[display]\nshape = "tall"\nscale = "1.5x"')
    assert len(found) == 1
    assert found[0].startswith('display.scale: is "1.5x", in which only wide is drawn')
    assert len(problems(SMALLEST + '[display]\nshape = "round"')) == 1


def test_all_problems_are_listed_at_once() -> None:
    """An installer sees every mistake in one run, each line with file, key and mend."""
    text = """
    colour = 3
    [pins]
    buttons = {spinn = {pin = 3, lamp = 4}, spin = {pin = 40, lamp = "x"}}
    keys = {attendant = {pin = 12}}
    tower = {}
    meters = {drop = {pin = 2, pulse_ms = 5}}
    [limits]
    credit_cents = 10.5
    """
    with pytest.raises(ConfigurationError) as caught:
        parse(text, "/etc/cabinet.toml")
    lines = str(caught.value).splitlines()
    assert all(line.startswith("/etc/cabinet.toml: ") for line in lines)
    keys = sorted(problem.key for problem in caught.value.problems)
    assert keys == [
        "colour",
        "limits.credit_cents",
        "pins.buttons.spin.lamp",
        "pins.buttons.spin.pin",
        "pins.buttons.spinn",
        "pins.doors",
        "pins.meters.drop.pin",
        "pins.meters.drop.pulse_ms",
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("poll_ms = 200", "pol_ms = 200", "coin_acceptor.pol_ms: is no known key; did you mean 'poll_ms'?"),
        ("max_bet = {", "maxbet = {", "pins.buttons.maxbet: is no button; did you mean 'max_bet'?"),
        ("cash_box = {", "till = {", "pins.doors.till: is no door; take it out (known here: main, cash_box, "),
        ("technician = {", "tecnician = {", "pins.keys.tecnician: is no key switch; did you mean 'technician'?"),
        ("bottom = {", "botom = {", "pins.tower.botom: is no tower-light tier; did you mean 'bottom'?"),
        ("hand_pay = { pin", "handpay = { pin", "pins.meters.handpay: is no hard meter; did you mean 'hand_pay'?"),
        ("pin = 2,", "pin = 28,", "pins.doors.main.pin: is 28; give 0 to 27"),
        ("pin = 2,", "pin = true,", "pins.doors.main.pin: must be a BCM number or an expander"),
        ("pin = 2,", "", "pins.doors.main.pin: is missing; add it"),
        ("pin = 2,", "pin = 4,", "pins.doors.main.pin: is pin 4, which pins.buttons.service.pin has already"),
        ("lamp = 16", "lamp = 5", "pins.buttons.collect.pin: is pin 5, which pins.buttons.service.lamp has"),
        ("attendant = { pin = 12, active = 0 }", "", "pins.keys.attendant: is missing: without an attendant key"),
        ("coin_in = { pin = 13, pulse_ms = 50", "coin_in = { pin = 13, pulse_ms = 501", "pins.meters.coin_in.pulse_ms"),
        ("address = 2", "address = 1", "coin_acceptor.address: is 1; give 2 to 255"),
        ("address = 2", 'address = "scam"', "coin_acceptor.address: cannot be 'scam'; choose one of: scan"),
        ("address = 2", "address = true", 'coin_acceptor.address: must be a whole number or "scan", not True'),
        ('"even"', '"odd"', "bill_validator.parity: cannot be 'odd'; choose one of: even, none"),
        ('security = "serial"', 'security = "none"', "hopper.security: cannot be 'none'; choose one of: cipher_unused"),
        ('pin = ""', 'pin = "1234"', "hopper.pin: is no PIN: four bytes, written as eight hex digits"),
        ('pin = ""', "pin = 73519086", "hopper.pin: must be a text in quotes, not (hidden)"),
        ('factory = "lgpio"', 'factory = "mock"', "pins.factory: cannot be 'mock'; choose one of: lgpio, simulated"),
        ('enabled = ["neptune", "bewitched",', 'enabled = ["neptune", "pluto",', "games.enabled[1]: cannot be 'pluto'"),
        (ENABLED, "enabled = []", "games.enabled: is empty; name at least one"),
        ("[1, 2, 5,", "[1, 1, 5,", "games.coin_values_cents: names 1 twice"),
        ("[1, 2, 5,", '["1", 2, 5,', "games.coin_values_cents: must be a list of whole numbers, not ['1', 2"),
        ("default_coin_value_cents = 10", "default_coin_value_cents = 3", "games.default_coin_value_cents: is 3"),
        ("[500, 1000", "[0, 1000", "limits.notes_cents[0]: is 0; give 100 to"),
        ('"/run/cabinet"', f'"/run/{"x" * 100}"', "cabinet.run_dir: has 105 bytes"),
        ('"/run/cabinet"', r'"/run/\u0000"', "cabinet.run_dir: holds an unprintable character"),
        ('name = "Cabinet 1"', 'name = " "', "cabinet.name: is empty; give it a value"),
        ("reserve_mb = 50", "reserve_mb = 201", "storage.reserve_mb: is above low_mb (200)"),
        ("[timing]", "[[timing]]", "timing: must be a table ([timing]), not [{"),
        ("[cabinet.money]", "[money]", "money: is no known key; take it out"),
        (CURRENCY, 'currency = "EURO"', "cabinet.money.currency: cannot be 'EURO'; choose one of: EUR, GBP"),
        (CURRENCY, 'currency = "GBP"', "cabinet.money.symbol: is '€', which is EUR; GBP is written '£'"),
        (COUNTRY, 'country = "eu"', "cabinet.money.country: is 'eu'; give the two letters"),
        (SYMBOL, f"{SYMBOL}\nid003_country = 256", "cabinet.money.id003_country: is 256; give 0 to 255"),
        (
            f"{CURRENCY}\n{COUNTRY}\n{SYMBOL}",
            'currency = "NOK"',
            "cabinet.money.id003_country: is missing: no public list has the country byte of",
        ),
    ],
)  # fmt: skip
def test_each_mistake_names_key_and_mend(old: str, new: str, expected: str) -> None:
    """One mistake in a good file gives one problem, with its dotted key and what to do."""
    found = problems(changed(old, new))
    assert len(found) == 1, found
    assert found[0].startswith(expected)


@pytest.mark.parametrize("written", ["7351908", '"7351908"', r'"7351908\u0007"', '["7351908"]', "{ code = 7351908 }"])
def test_no_problem_repeats_the_hoppers_pin(written: str) -> None:
    """What is wrong with it is printed at every start, and so reaches the system's log and diagnostics."""
    found = problems(changed('pin = ""', f"pin = {written}"))
    assert any(problem.startswith("hopper.pin") for problem in found)
    assert not any("7351908" in problem for problem in found)


def test_every_number_has_bounds() -> None:
    """No amount, time, pin or address is taken beyond all measure: each is refused by its own key."""
    text = SAMPLE.read_text(encoding="utf-8")
    immense = re.sub(r"(?<=[=\[,] )\d[\d_]*|(?<=\[)\d+", str(10**12), text)
    count = len(re.findall(str(10**12), immense))
    assert len([line for line in problems(immense) if f"is {10**12}; give " in line]) == count


LINE = '[coin_acceptor]\nport = "/dev/a"\n[hopper]\nport = "/dev//a"\ncoin_value_cents = 100\n'


@pytest.mark.parametrize("protocol", ["id003", "ssp"])
def test_a_port_for_two_devices_names_both(protocol: str) -> None:
    """A device that does not speak ccTalk shares its port with none, however that is spelt; both keys are named."""
    bills = f'[bill_validator]\nport = "/dev/./a"\nprotocol = "{protocol}"\n'
    (found,) = problems(SMALLEST + LINE.partition("[hopper]")[0] + bills)
    assert found == (
        "bill_validator.port: is /dev/a, which coin_acceptor.port has already; only ccTalk devices share one, or MDB "
        "devices, and bill_validator is no such one; give each device its own port"
    )


SSP_BILLS = '[bill_validator]\nport = "/dev/a"\nprotocol = "ssp"\n'
SSP_HOPPER = '[hopper]\nport = "/dev/b"\nprotocol = "ssp"\ncoin_value_cents = 100\n'
RECYCLER = SSP_HOPPER.replace("/dev/b", "/dev//a")


def test_a_recycler_is_on_its_validators_port() -> None:
    """An SSP hopper may have the port of an SSP validator, and of no other device."""
    hopper = parse(SMALLEST + SSP_BILLS + RECYCLER).hopper
    assert hopper is not None
    assert hopper.protocol == "ssp"
    for other in ("id003", "ebds", "cctalk"):
        (found,) = problems(SMALLEST + SSP_BILLS.replace('"ssp"', f'"{other}"') + RECYCLER)
        assert found.startswith("hopper.port: is /dev/a, which bill_validator.port has already")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SSP_BILLS + 'ssp_key = "0123"\n', "bill_validator.ssp_key: is no fixed part of an eSSP key: eight bytes"),
        (SSP_HOPPER + 'ssp_key = "0123"\n', "hopper.ssp_key: is no fixed part of an eSSP key"),
        (SSP_BILLS + RECYCLER + f'ssp_key = "{"7" * 16}"\n', "hopper.ssp_key: is set for a recycler"),
        (SSP_BILLS + 'encryption = "off"\n' + RECYCLER, 'bill_validator.encryption: is "off", and its recycler pays'),
        (SSP_BILLS.replace('"ssp"', '"id003"') + 'encryption = "on"\n', 'bill_validator.encryption: is "on", and'),
        (SSP_BILLS.replace('"ssp"', '"id003"') + f'ssp_key = "{"7" * 16}"\n', "bill_validator.ssp_key: is set, and"),
        (SSP_HOPPER + 'pin = "31323334"\n', 'hopper.pin: is set, and hopper.protocol is "ssp"'),
        (SSP_HOPPER.replace('"ssp"', '"cctalk"') + "float_coins = 9\n", "hopper.float_coins: is set, and only"),
        (SSP_HOPPER.replace('"ssp"', '"cctalk"') + "serial = 16777216\n", "hopper.serial: is 16777216, and a ccTalk"),
    ],
)
def test_keys_of_essp_that_do_not_fit(text: str, expected: str) -> None:
    """Each is refused by its key, with what to do; a key of the wrong length is not repeated."""
    (found,) = problems(SMALLEST + text)
    assert found.startswith(expected)
    assert "0123" not in found


def test_cctalk_devices_may_share_a_line_at_different_addresses() -> None:
    """Coin acceptor, hopper and ccTalk validator hang on one port; two of them at one address are refused."""
    bills = '[bill_validator]\nport = "/dev/a"\nprotocol = "cctalk"\n'
    assert parse(SMALLEST + LINE + bills).bill_validator is not None
    assert problems(SMALLEST + LINE + bills + "address = 3\n") == [
        "bill_validator.address: is 3, which hopper on the same port has already; give each device its own"
    ]
    scanned = parse(SMALLEST + LINE + bills + 'address = "scan"\n').bill_validator
    assert scanned is not None
    assert scanned.address == "scan"


DIVERTER = SMALLEST + "[pins.coin]\nlockout = {pin = 26}\ndiverter = {pin = 27}\n"


@pytest.mark.requirement("B6")
@pytest.mark.parametrize(
    ("acceptor", "expected"),
    [
        ("coins_cents = [100]\n", ""),
        ("", "pins.coin.diverter: moves before anybody knows which coin comes; name in coin_acceptor.coins_cents"),
        ("coins_cents = [50, 100]\n", "pins.coin.diverter: moves before anybody knows which coin comes"),
        ("hopper_path = 2\n", "pins.coin.diverter: is set beside coin_acceptor.hopper_path, a sorter"),
    ],
)
def test_a_diverter_may_send_only_the_hoppers_coins(acceptor: str, expected: str) -> None:
    """A coil that moves before the coin is known is refused unless there is one kind of coin."""
    text = DIVERTER + f'[coin_acceptor]\nport = "/dev/a"\n{acceptor}[hopper]\nport = "/dev/b"\ncoin_value_cents = 100\n'
    if expected:
        (found,) = problems(text)
        assert found.startswith(expected)
    else:
        assert parse(text).pins.coin["diverter"].pin == 27


def test_a_diverter_needs_a_hopper() -> None:
    """There is nowhere to divert coins to."""
    assert problems(DIVERTER + '[coin_acceptor]\nport = "/dev/a"\n') == [
        "pins.coin.diverter: has no hopper to divert coins to; add [hopper], or take it out"
    ]


def test_a_sorter_has_two_paths() -> None:
    """Hopper and cash box cannot lie at the end of one path."""
    (found,) = problems(SMALLEST + '[coin_acceptor]\nport = "/dev/a"\nhopper_path = 1\n')
    assert found.startswith("coin_acceptor.hopper_path: is 1, which is the cash box's path")


@pytest.mark.parametrize("uart", ["/dev/serial0", "/dev/ttyAMA0", "/dev/ttyS0"])
def test_the_header_uart_keeps_its_pins(uart: str) -> None:
    """A device on the header's UART, by any of its names, and a lamp on the UART's pin exclude each other."""
    text = SMALLEST.replace("pin = 12", "pin = 14") + f'[coin_acceptor]\nport = "{uart}"\n'
    (found,) = problems(text)
    assert found == (
        f"pins.keys.attendant.pin: is pin 14, which coin_acceptor.port ({uart}) needs for its line; "
        "take another pin or a USB adapter"
    )


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"[pins\n", "at line 1"),
        (b"\n\na = = 1", "at line 3"),
        (b"\xff\xfe", "is not UTF-8 text (byte 0)"),
        (b"a = " + b"9" * 5000, "is not valid TOML"),
        (b"a = " + b"[" * 5000, "nests its values too deeply"),
    ],
    ids=["table", "line", "encoding", "digits", "depth"],
)
def test_what_is_no_toml_is_reported_with_its_place(tmp_path: Path, content: bytes, expected: str) -> None:
    """A file that cannot even be read as TOML names itself and, for syntax, the line."""
    path = tmp_path / "cabinet.toml"
    path.write_bytes(content)
    with pytest.raises(ConfigurationError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert expected in str(caught.value)


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    """The error says which file and why."""
    with pytest.raises(ConfigurationError, match="No such file or directory"):
        load(tmp_path / "none.toml")


def key_paths() -> list[str]:
    """Every dotted key of the sample."""
    found: list[str] = []

    def walk(table: dict[str, Any], before: str) -> None:
        for name, value in table.items():
            found.append(f"{before}{name}")
            if isinstance(value, dict):
                walk(value, f"{before}{name}.")

    walk(tomllib.loads(SAMPLE.read_text(encoding="utf-8")), "")
    return found


def works_or_is_refused(text: str) -> bool:
    """Whether `text` gives a cabinet or a list of problems; anything else is raised."""
    try:
        return isinstance(parse(text), Config)
    except ConfigurationError as error:
        return bool(error.problems)


toml_values = st.one_of(
    st.integers().map(str),
    st.integers(-(10**30), 10**30).map(str),
    st.floats().map(repr),
    st.booleans().map(lambda value: str(value).lower()),
    st.sampled_from(["1979-05-27", "07:32:00", "{}", "[]", "[[1], ['a']]", "{ a = { b = 1 } }", '""', "nan", '"\\n"']),
    st.text(st.sampled_from('ab1é€ /.-_\\"#\t')).map(lambda text: f"'{text}'"),
    st.lists(st.integers(-3, 300), max_size=4).map(str),
)  # fmt: skip


@given(st.dictionaries(st.sampled_from(key_paths()), toml_values, max_size=8))
@example({"pins.buttons": "3", "pins.buttons.spin": "{}"})
def test_any_values_give_a_cabinet_or_an_error_of_ours(values: dict[str, str]) -> None:
    """Whatever the values of the known keys, the answer is a configuration or a list of problems."""
    text = "\n".join(f"{key} = {value}" for key, value in values.items())
    assert works_or_is_refused(text)


@given(st.text(alphabet=st.sampled_from("[]{}=\"'.,#\n abz019_-:\\\0é")) | st.text())
def test_any_text_gives_a_cabinet_or_an_error_of_ours(text: str) -> None:
    """No text at all crashes with anything but `ConfigurationError`."""
    assert works_or_is_refused(text)


@given(st.data())
def test_any_change_of_the_sample_that_is_accepted_decodes(data: st.DataObject) -> None:
    """What the checks let through is a cabinet: no value slips past them into a decoding error."""
    lines = SAMPLE.read_text(encoding="utf-8").splitlines()
    places = [place for place, line in enumerate(lines) if " = " in line and "{" not in line]
    place = data.draw(st.sampled_from(places))
    key = lines[place].partition(" = ")[0]
    lines[place] = f"{key} = {data.draw(toml_values)}"
    assert works_or_is_refused("\n".join(lines))


def test_check_config_prints_ok_or_the_list(tmp_path: Path) -> None:
    """`cabinet check-config` says OK with exit code 0, or lists the problems with exit code 1."""
    runner = CliRunner()
    path = tmp_path / "cabinet.toml"
    path.write_text(changed('baked = "/opt/cabinet/baked"', f'baked = "{baked(tmp_path, *names())}"'), encoding="utf-8")
    good = runner.invoke(main, ["check-config", "--quick", str(path)])
    only_advice = "cabinet.second_copy: is empty; name a file on another medium than the books"
    assert (good.exit_code, good.output) == (0, f"Warning: {path}: {only_advice}\nOK\n")
    path.write_text(changed("pin = 2,", "pin = 28,"), encoding="utf-8")
    bad = runner.invoke(main, ["check-config", str(path)])
    assert bad.exit_code == 1
    assert f"{path}: pins.doors.main.pin: is 28; give 0 to 27" in bad.output


def baked(folder: Path, *names: str) -> Path:
    """Where the art of these games looks baked."""
    for name in names:
        world = folder / "baked" / name / "1"
        world.mkdir(parents=True)
        (world / "manifest.json").write_text("{}")
    return folder / "baked"


def test_every_game_of_the_catalogue_has_its_look() -> None:
    """The default offers all games, so the display must know each of them."""
    assert parse(SMALLEST).games.enabled == names()
    with_art = parse(SMALLEST + '[display]\nbaked = "/nowhere"')
    assert all("whose art is not in /nowhere/" in problem.text for problem in problems_with_worlds(with_art))


def test_a_game_that_cannot_be_drawn_is_refused(tmp_path: Path) -> None:
    """Whose art is not baked at the display's scale, or who has no look, is named with file, key and mend."""
    path = tmp_path / "cabinet.toml"
    art = baked(tmp_path, "neptune", "witch_feature")
    games = '[games]\nenabled = ["neptune", "bewitched", "witch_feature"]\n'
    path.write_text(SMALLEST + games + f'[display]\nbaked = "{art}"', encoding="utf-8")
    result = CliRunner().invoke(main, ["check-config", "--quick", str(path)])
    assert (result.exit_code, "OK" in result.output) == (1, False)
    assert (
        f"{path}: games.enabled[1]: is bewitched, whose art is not in {art}/bewitched/1; run `cabinet bake"
        in result.output
    )
    unknown = msgspec.structs.replace(parse(SMALLEST).games, enabled=("chess",))
    (problem,) = problems_with_worlds(msgspec.structs.replace(parse(SMALLEST), games=unknown))
    assert problem == Problem(
        "games.enabled[0]", "is chess, which the display cannot draw (no games/chess/display/theme.py); take it out"
    )


def test_run_refuses_a_simulated_cabinet(tmp_path: Path) -> None:
    """Only the demo may use simulated pins."""
    path = tmp_path / "cabinet.toml"
    path.write_text(changed('factory = "lgpio"', 'factory = "simulated"'), encoding="utf-8")
    run = subprocess.run([sys.executable, "-m", "controller", "run", path], capture_output=True, text=True, check=False)
    refused = f"{path}: pins.factory: is simulated, which only `cabinet demo` may use; set it to lgpio\n"
    assert (run.returncode, run.stdout, run.stderr) == (1, "", refused)


def test_a_validators_serial_number_is_one_of_its_language() -> None:
    """ID-003 has none, EBDS is not asked; SSP's has 32 bits, a coin acceptor's 24."""
    bills = '[bill_validator]\nport = "/dev/a"\nserial = 16777216\n'
    assert problems(SMALLEST + bills) == [
        "bill_validator.serial: is set, and ID-003 validators report none; take it out"
    ]
    assert problems(SMALLEST + bills + 'protocol = "ebds"\n') == [
        "bill_validator.serial: is set, and the serial numbers of EBDS validators have letters; take it out"
    ]
    ssp = parse(SMALLEST + bills + 'protocol = "ssp"\n').bill_validator
    assert ssp is not None
    assert ssp.serial == 16777216
    assert problems(SMALLEST + '[coin_acceptor]\nport = "/dev/a"\nserial = 16777216\n')[0].startswith(
        "coin_acceptor.serial: is 16777216, and a ccTalk serial number has 24 bits"
    )


def test_tickets_need_what_prints_and_what_reads_them() -> None:
    """None is printed that nothing redeems, and none taken by a validator whose barcodes are not read."""
    tickets = {key: f"[tickets]\n{key} = {value}\n" for key, value in (("takes", "true"), ("pays", '"rest"'))}
    validator = '[bill_validator]\nport = "/dev/a"\nprotocol = "cctalk"\n'
    printer = '[ticket_printer]\nport = "/dev/p"\n'
    readers = ", ".join(sorted(ticket_readers()))
    reads = f"tickets.takes: needs a [bill_validator] that reads barcodes: one whose protocol is {readers}"
    assert problems(SMALLEST + tickets["takes"]) == [reads]
    assert reads in problems(SMALLEST + tickets["takes"] + validator.replace("cctalk", "mdb"))
    usual = parse(SMALLEST + tickets["takes"] + validator.replace('protocol = "cctalk"\n', ""))
    assert usual.tickets.takes
    assert problems(SMALLEST + tickets["pays"]) == [
        "tickets.pays: needs a [ticket_printer]; add one, or leave it 'nothing'",
        "tickets.pays: prints tickets that nothing redeems; set takes too, or leave it 'nothing'",
    ]
    both = parse(SMALLEST + tickets["pays"] + "takes = true\n" + validator + printer).tickets
    assert (both.pays, both.takes) == ("rest", True)
    must = SMALLEST + "[tickets]\ntakes = true\nmust_print = true\n" + validator + printer
    alone = ["tickets.must_print: needs tickets that alone pay: pays = 'all', and no [hopper]; or leave it out"]
    assert problems(must) == alone
    all_of_it = must.replace("takes", 'pays = "all"\ntakes', 1)
    assert parse(all_of_it).tickets.must_print
    assert alone[0] in problems(all_of_it + '[hopper]\nport = "/dev/h"\n')
    venues = '[tickets]\nvalidated_by = "venue"\n'
    assert problems(SMALLEST + venues) == ["tickets.validated_by: needs a [venue]; add it, or leave it 'cabinet'"]
    assert parse(f'{SMALLEST}{venues}pays = "all"\n{printer}[venue]\nhost = "hall"\n').tickets.validated_by == "venue"
    assert problems(SMALLEST + "[tickets]\nleast_cents = 60_000\n") == [
        "tickets.least_cents: is 60000, above most_cents, 50000; lower it"
    ]


def test_a_printer_on_the_network_has_a_numeric_address() -> None:
    """A name would be looked up while everything else waits."""
    printer = '[ticket_printer]\nlink = "network"\nport = "{}"\n'
    assert parse(SMALLEST + printer.format("192.168.1.50:9100")).ticket_printer is not None
    (found,) = problems(SMALLEST + printer.format("printer.local:9100"))
    assert found.startswith("ticket_printer.port: is 'printer.local:9100', and ")
    assert found.endswith('such as "192.168.1.50:9100"')


CHANGER = '[coin_acceptor]\nport = "/dev/a"\nprotocol = "mdb"\n'
TUBES = '[hopper]\nport = "/dev/a"\nprotocol = "mdb"\ncoin_value_cents = 10\n'
MDB_BILLS = '[bill_validator]\nport = "/dev//a"\nprotocol = "mdb"\n'


def test_mdb_devices_share_their_bridges_port() -> None:
    """Changer, validator and tubes; no other device, and tubes only with their changer."""
    parsed = parse(SMALLEST + CHANGER + TUBES + MDB_BILLS)
    assert parsed.hopper is not None
    assert parsed.hopper.protocol == "mdb"
    (found,) = problems(SMALLEST + CHANGER + MDB_BILLS.replace('"mdb"', '"ssp"'))
    assert found.startswith("bill_validator.port: is /dev/a, which coin_acceptor.port has already")
    (found,) = problems(SMALLEST + TUBES)
    assert found.startswith('hopper.protocol: is "mdb", the tubes of a coin changer, and there is none')
    (found,) = problems(SMALLEST + CHANGER + TUBES.replace("/dev/a", "/dev/b"))
    assert found.startswith("hopper.port: is /dev/b, and the changer whose tubes pay is at /dev/a")
    assert problems(SMALLEST + CHANGER + "hopper_path = 2\n") == [
        "coin_acceptor.hopper_path: is set for a coin changer, which fills its own tubes; take it out"
    ]


@pytest.mark.parametrize(("device", "protocol"), [(CHANGER, "mdb"), (MDB_BILLS, "mdb"), (MDB_BILLS, "ssp")])
def test_only_cctalk_devices_are_scanned_for(device: str, protocol: str) -> None:
    """Other protocols have no addresses to look through: a scan beside one is refused with its mend."""
    name = device[1 : device.index("]")]
    found = problems(SMALLEST + device.replace('"mdb"', f'"{protocol}"') + 'address = "scan"\n')
    words = f'is "scan", which finds ccTalk devices only, and protocol is "{protocol}"; take it out'
    assert found == [f"{name}.address: {words}"]
    assert problems(SMALLEST + CHANGER + TUBES + 'address = "scan"\n') == [
        f"hopper.address: {words}".replace(f'"{protocol}"', '"mdb"')
    ]
