"""The rules for a `cabinet.toml`, checked in one pass that reports every problem.

All rules work on the file's fields (`controller.configuration.fields`); those about pins are in
`controller.configuration.pins`.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from controller import feature
from controller.configuration.fields import Fields, Misfit, Problem, items, matching, quoted, shown, type_info, walk
from controller.configuration.named_files import USUAL_ART, file_problems, written_paths
from controller.configuration.pins import boot_pins, expander_pins, latch, needed, pins
from controller.configuration.ports import is_recycler, plain, port_names, shared_ports, speaks
from controller.configuration.pulse import pulse
from controller.configuration.separators import separators
from controller.configuration.tenders import currency_of, tenders
from drivers.cctalk.encryption import is_key
from drivers.cctalk.hopper_security import is_pin
from drivers.currency import CURRENCIES, written_so
from drivers.network_port import network_address
from drivers.ssp.key import is_fixed_key
from drivers.validator_protocols import validator_protocols
from drivers.wiring import BY_LANGUAGE, SCAN
from gamekit import catalogue
from gamekit.catalogue import UnknownGameError, load
from gamekit.play import Game

_BY_GAME = ("games.enabled", "games.default")
"""The keys that name games, whatever those are."""


_LISTS = ("games.enabled", "games.coin_values_cents", "limits.notes_cents", "coin_acceptor.coins_cents")
# Lists that may be empty: an empty one means no notes, or every coin that the acceptor knows.
_MAY_BE_EMPTY = ("limits.notes_cents", "coin_acceptor.coins_cents")
_ONE_OF = (
    ("games.default", "games.enabled"),
    ("games.default_coin_value_cents", "games.coin_values_cents"),
)

_GAMBLE_CAPS = "games.gamble_cap_cents.*"

# sun_path holds 108 bytes with its closing zero; the longest socket name in a run directory is `display.sock`.
_LONGEST_RUN_DIR = 107 - len("/hardware.sock")


def gamble_cap_cents(key: str) -> int:
    """Return the highest amount that the game may gamble with which `key` ends; 0 if it cannot be loaded."""
    game = _game_of(key)
    return 0 if game is None else game.gamble_cap_cents


def _game_of(key: str) -> Game | None:
    """Return the game that a key ends with, or None if it cannot be loaded and so not be checked."""
    try:
        return load(key.rpartition(".")[2])
    except UnknownGameError:
        return None


def problems_in(tables: dict[str, Any], kind: type[msgspec.Struct], file: Path | None = None) -> tuple[Problem, ...]:
    """Return every problem of `tables`, a parsed TOML file of type `kind`; with `file`, also those of its named files.

    An empty result means that `msgspec.convert(tables, kind)` succeeds.
    """
    fields: Fields = {}
    problems = list(walk(tables, type_info(kind), "", fields))
    out_of_bounds = {problem.key for problem in problems if problem.kind is Misfit.VALUE}
    for rule in (
        needed,
        _known_games,
        _texts,
        _lists,
        _members,
        _bets,
        _gamble_caps,
        _display,
        pins,
        boot_pins,
        expander_pins,
        latch,
        pulse,
        shared_ports,
        port_names,
        _addresses,
        _diverter,
        _validator_serial,
        _hopper_pin,
        _ssp_keys,
        _cctalk_key,
        _ssp_hopper,
        _mdb,
        _ticket_printer,
        _network,
        _money,
        _storage,
        _paths,
        *feature.imported(lambda one: one.rules),
    ):
        problems += [
            found for found in rule(fields) if found.kind is not Misfit.VALUE or found.key not in out_of_bounds
        ]
    reported = {problem.key for problem in problems}
    problems += [problem for problem in tenders(fields) if problem.key not in reported]
    if file is not None:
        problems += file_problems(fields, file)
    return tuple(dict.fromkeys(problems))


def _known_games(fields: Fields) -> Iterator[Problem]:
    known = catalogue.known()
    for key in _BY_GAME:
        for item_key, item in items(key, fields.get(key, ())):
            if item not in known:
                yield Problem(item_key, f"cannot be {item!r}; choose one of: {quoted(known)}")


def _texts(fields: Fields) -> Iterator[Problem]:
    for key, value in fields.items():
        if isinstance(value, str) and not value.isprintable():
            yield Problem(key, f"holds an unprintable character in {shown(value, key)}; take it out")


def _lists(fields: Fields) -> Iterator[Problem]:
    for key in _LISTS:
        value = fields.get(key)
        if value is None:
            continue
        # Without notes a cabinet plays for coins; without games or coin values it plays nothing.
        if not value and key not in _MAY_BE_EMPTY:
            yield Problem(key, "is empty; name at least one", Misfit.EMPTY_LIST)
        for item in dict.fromkeys(value):
            if value.count(item) > 1:
                yield Problem(key, f"names {shown(item)} twice; once is enough")


def _members(fields: Fields) -> Iterator[Problem]:
    for key, list_key in _ONE_OF:
        value, allowed = fields.get(key), fields.get(list_key)
        if value is not None and allowed and value not in allowed:
            listed = quoted([str(item) for item in allowed])
            yield Problem(key, f"is {shown(value)}, which {list_key} does not hold; choose one of: {listed}")


def _bets(fields: Fields) -> Iterator[Problem]:
    """Report bets at which a game cannot be played, or whose coin would not be a whole cent."""
    for key, bets in matching(fields, "games.bets_cents.*"):
        game = _game_of(key)
        if game is None:
            continue
        rule = game.total_bets
        if rule is None:
            yield Problem(key, "names bets of a game that is bet in lines, coins and coin values; take it out")
            continue
        for item_key, bet in items(key, bets):
            if bet % rule.unit_cents or not rule.unit_cents <= bet <= rule.highest_cents:
                wanted = f"multiples of {rule.unit_cents} cents, {rule.unit_cents} to {rule.highest_cents}"
                yield Problem(item_key, f"is {bet}; give {wanted}", Misfit.VALUE)
        if not bets:
            yield Problem(key, "is empty; name at least one, or leave it out for the usual ones", Misfit.EMPTY_LIST)
        if any(after <= before for before, after in pairwise(bets)):
            yield Problem(key, "does not rise; name each bet once, the lowest first")


def _gamble_caps(fields: Fields) -> Iterator[Problem]:
    """Report gamble caps above the game's own, and those of games without a gamble."""
    for key, cents in matching(fields, _GAMBLE_CAPS):
        game = _game_of(key)
        if game is None:
            continue
        own_cents = game.gamble_cap_cents
        if not own_cents:
            yield Problem(key, "caps the gamble of a game that has none; take it out")
        elif not 0 <= cents <= own_cents:
            yield Problem(
                key, f"is {shown(cents)}; give 0 to {own_cents} (cents; 0 for no gamble in this game)", Misfit.VALUE
            )


def _display(fields: Fields) -> Iterator[Problem]:
    """Report a scale in which the monitor's shape is not baked."""
    shape, scale = fields.get("display.shape"), fields.get("display.scale")
    if shape in ("tall", "portrait") and scale == "1.5x":
        yield Problem("display.scale", f'is "1.5x", in which only wide is drawn; a {shape} display takes "1x"')


def _addresses(fields: Fields) -> Iterator[Problem]:
    """Report ccTalk devices of one line with the same address, and a scan for devices of another protocol."""
    first: dict[tuple[str, int], str] = {}
    for key, address in matching(fields, "*.address"):
        device = key.rpartition(".")[0]
        path = fields.get(f"{device}.port", "")
        if address == SCAN and not speaks(device, "cctalk", fields):
            protocol = fields.get(f"{device}.protocol")
            yield Problem(key, f'is "scan", which finds ccTalk devices only, and protocol is "{protocol}"; take it out')
        if not path or not speaks(device, "cctalk", fields) or address == SCAN:
            continue
        other = first.setdefault((plain(path), address), device)
        if other != device:
            yield Problem(
                key, f"is {address}, which {other} on the same port has already; give each device its own", Misfit.VALUE
            )


def _validator_serial(fields: Fields) -> Iterator[Problem]:
    """Report a serial number that no validator of that protocol can be asked for."""
    key = "bill_validator.serial"
    protocol = validator_protocols().get(str(fields.get("bill_validator.protocol")))
    if fields.get(key) and protocol is not None and protocol.no_serial:
        yield Problem(key, f"is set, and {protocol.no_serial}; take it out")


def _diverter(fields: Fields) -> Iterator[Problem]:
    """Report a diverter or sorter that could send wrong coins into the hopper."""
    path, other = fields.get("coin_acceptor.hopper_path", 0), fields.get("coin_acceptor.cash_box_path")
    if path and path == other:
        yield Problem(
            "coin_acceptor.hopper_path", f"is {path}, which is the cash box's path; give each its own", Misfit.VALUE
        )
    if "pins.coin.diverter.pin" not in fields:
        return
    hopper_cents, taken = fields.get("hopper.coin_value_cents"), fields.get("coin_acceptor.coins_cents", ())
    if path:
        yield Problem("pins.coin.diverter", "is set beside coin_acceptor.hopper_path, a sorter; take one of them out")
    elif hopper_cents is None:
        yield Problem("pins.coin.diverter", "has no hopper to divert coins to; add [hopper], or take it out")
    elif tuple(taken) != (hopper_cents,):
        mend = f"name in coin_acceptor.coins_cents the hopper's coin alone ([{hopper_cents}]), or use a sorter"
        yield Problem("pins.coin.diverter", f"moves before anybody knows which coin comes; {mend}")


def _ssp_keys(fields: Fields) -> Iterator[Problem]:
    """Report invalid eSSP keys, and eSSP keys for a protocol that has none."""
    for device in ("bill_validator", "hopper"):
        key, ssp = f"{device}.ssp_key", fields.get(f"{device}.protocol") == "ssp"
        if not (fixed := fields.get(key)):
            continue
        if not is_fixed_key(fixed):
            yield Problem(key, "is no fixed part of an eSSP key: eight bytes, written as 16 hex digits")
        if not ssp:
            yield Problem(key, f'is set, and {device}.protocol is not "ssp"; take it out')
    if fields.get("bill_validator.encryption") == "on" and fields.get("bill_validator.protocol") != "ssp":
        yield Problem("bill_validator.encryption", 'is "on", and bill_validator.protocol is not "ssp"; take it out')
    if not is_recycler(fields):
        return
    if fields.get("hopper.ssp_key"):
        yield Problem("hopper.ssp_key", "is set for a recycler, which has its validator's; take it out")
    if fields.get("bill_validator.encryption") == "off":
        mend = 'choose "on" or "auto", or take [hopper] out'
        yield Problem(
            "bill_validator.encryption", f'is "off", and its recycler pays in eSSP only; {mend}', Misfit.VALUE
        )


def _cctalk_key(fields: Fields) -> Iterator[Problem]:
    """Report an invalid ccTalk encryption key, or one for a protocol that has none."""
    key = fields.get("bill_validator.cctalk_key")
    if not key:
        return
    if not is_key(key):
        yield Problem("bill_validator.cctalk_key", "is no key of ccTalk's encryption: six decimal digits")
    if fields.get("bill_validator.protocol") != "cctalk":
        yield Problem("bill_validator.cctalk_key", 'is set, and bill_validator.protocol is not "cctalk"; take it out')


def _ssp_hopper(fields: Fields) -> Iterator[Problem]:
    """Report keys of one hopper's protocol that are set for the other."""
    ssp = fields.get("hopper.protocol") == "ssp"
    if ssp and fields.get("hopper.pin"):
        yield Problem("hopper.pin", 'is set, and hopper.protocol is "ssp", which has no PIN; take it out')
    if not ssp and fields.get("hopper.float_coins"):
        yield Problem(
            "hopper.float_coins", 'is set, and only a hopper with protocol = "ssp" keeps a float; take it out'
        )
    most = 0xFFFFFF
    for device in ("coin_acceptor", "hopper"):
        serial = fields.get(f"{device}.serial") or 0
        if speaks(device, "cctalk", fields) and serial > most:
            yield Problem(f"{device}.serial", f"is {serial}, and a ccTalk serial number has 24 bits", Misfit.VALUE)


def _mdb(fields: Fields) -> Iterator[Problem]:
    """Report tubes without their changer, and settings that a changer does not use."""
    changer, tubes = speaks("coin_acceptor", "mdb", fields), speaks("hopper", "mdb", fields)
    if tubes and not changer:
        mend = 'give [coin_acceptor] protocol = "mdb", or the hopper its own protocol'
        yield Problem("hopper.protocol", f'is "mdb", the tubes of a coin changer, and there is none; {mend}')
    ports = [plain(fields.get(f"{device}.port") or device) for device in ("hopper", "coin_acceptor")]
    if tubes and changer and len(set(ports)) > 1:
        yield Problem(
            "hopper.port", f"is {ports[0]}, and the changer whose tubes pay is at {ports[1]}; give that", Misfit.VALUE
        )
    if tubes and fields.get("hopper.pin"):
        yield Problem("hopper.pin", 'is set, and hopper.protocol is "mdb", which has no PIN; take it out')
    if changer and fields.get("coin_acceptor.hopper_path"):
        yield Problem("coin_acceptor.hopper_path", "is set for a coin changer, which fills its own tubes; take it out")
    if changer and "pins.coin.diverter.pin" in fields:
        yield Problem("pins.coin.diverter", "is set beside a coin changer, which fills its own tubes; take it out")


def _hopper_pin(fields: Fields) -> Iterator[Problem]:
    if (pin := fields.get("hopper.pin", "")) and not is_pin(pin):
        yield Problem("hopper.pin", "is no PIN: four bytes, written as eight hex digits")


def _ticket_printer(fields: Fields) -> Iterator[Problem]:
    port = fields.get("ticket_printer.port")
    if port and fields.get("ticket_printer.link") == "network":
        try:
            network_address(port)
        except ValueError as error:
            mend = 'give its numeric address and TCP port, such as "192.168.1.50:9100"'
            yield Problem("ticket_printer.port", f"is {shown(port)}, and {error}; {mend}", Misfit.VALUE)


def _network(fields: Fields) -> Iterator[Problem]:
    if fields.get("network.enabled") and not fields.get("network.interface"):
        yield Problem("network.enabled", "is true, and no interface is named; name it in network.interface")


def _money(fields: Fields) -> Iterator[Problem]:
    """Report a currency that contradicts its symbol or the fitted devices."""
    money = "cabinet.money"
    code, symbol = fields.get(f"{money}.currency", ""), fields.get(f"{money}.symbol", "")
    country, byte = fields.get(f"{money}.country", ""), fields.get(f"{money}.id003_country")
    usual = CURRENCIES[code].symbol if code in CURRENCIES else ""
    if usual and symbol not in {"", code, usual} and (other := written_so(symbol)):
        yield Problem(
            f"{money}.symbol", f"is {symbol!r}, which is {other}; {code} is written {usual!r}, or leave it out"
        )
    if country and not re.fullmatch("[A-Z]{2}", country):
        yield Problem(
            f"{money}.country",
            f'is {shown(country)}; give the two letters of its ccTalk devices, such as "GB"',
            Misfit.VALUE,
        )
    known = currency_of(fields)
    speaks_id003 = fields.get("bill_validator.port") and fields.get("bill_validator.protocol", "id003") == "id003"
    if speaks_id003 and known is not None and known.id003 is None and byte is None:
        mend = f"no public list has the country byte of {known}; give that of the validator's currency table"
        yield Problem(f"{money}.id003_country", f"is missing: {mend}", Misfit.VALUE)
    given = [fields.get(f"{money}.{name}", BY_LANGUAGE) for name in ("decimal", "thousands")]
    decimal, thousands = separators(fields.get("cabinet.language", ""), *given)
    if decimal == thousands:
        yield Problem("cabinet.money.thousands", "is the sign for decimals too; choose another")
    for key, sign in ((f"{money}.decimal", decimal), (f"{money}.thousands", thousands)):
        if sign and (len(sign) > 1 or sign.isalnum() or sign in "+-"):
            yield Problem(key, f"is {shown(sign)}; give one sign, such as a point or a comma", Misfit.VALUE)


def _storage(fields: Fields) -> Iterator[Problem]:
    low, reserve = fields.get("storage.low_mb"), fields.get("storage.reserve_mb")
    if low is not None and reserve is not None and reserve > low:
        yield Problem("storage.reserve_mb", f"is above low_mb ({low}): nobody would be warned before play stops")


def _paths(fields: Fields) -> Iterator[Problem]:
    """Report relative paths, a lock without its second copy, and a run directory whose path is too long."""
    for key, path in written_paths(fields):
        if path and not path.startswith("/") and path != USUAL_ART:
            yield Problem(key, f"is {shown(path)}; give the whole path, from / on", Misfit.VALUE)
    if fields.get("cabinet.copy_locks") and not fields.get("cabinet.second_copy"):
        yield Problem("cabinet.copy_locks", "is true, and second_copy is empty; name a file, or set it to false")
    run_dir = fields.get("cabinet.run_dir", "")
    length = len(run_dir.encode(errors="surrogatepass"))
    if length > _LONGEST_RUN_DIR:
        yield Problem(
            "cabinet.run_dir",
            f"has {length} bytes, and socket paths leave room for {_LONGEST_RUN_DIR}; choose a shorter directory",
        )
