"""Setup of a coin acceptor: the coins it knows and the poll interval it needs (protocols.md, 1)."""

import re
from typing import Final

from drivers.cctalk.bus import Bus
from drivers.cctalk.protocol import Header
from drivers.currency import Currency, by_country, foreign
from drivers.errors import NoReplyError, WireError

POSITIONS: Final = 16
FASTEST_POLL_S: Final = 0.02
"""Shortest poll interval. An exchange alone takes longer: a device that asks for less is polled without a pause."""

COIN_ID_SIZE: Final = 6
_KEYS: Final = "currency or country"
_COIN_ID: Final = re.compile(rb"([A-Z]{2})(\d{3})[A-Z]", re.ASCII)
_PRIORITY_SIZES: Final = range(2, 3)
_PRIORITY_TRIES: Final = 2  # an optional request: a device that does not support it is silent
_UNIT_S: Final = {1: 0.001, 2: 0.01, 3: 1.0, 4: 60.0, 5: 3600.0}


def coin_value(coin_id: bytes, currency: Currency) -> int | None:
    """Return the value in cents of a coin id such as `GB200A`; None if it is no coin of `currency`.

    That is an empty slot, a token, another country, or a value of which the currency has no coin: the device may count
    in another unit than cents.
    """
    match = _COIN_ID.fullmatch(coin_id)
    if match is None or match[1] != currency.country.encode():
        return None
    value_cents = int(match[2])
    return value_cents if value_cents in currency.coins_cents else None


def coin_country(coin_id: bytes) -> str:
    """Return the country of a coin id, empty for an empty slot or a token."""
    match = _COIN_ID.fullmatch(coin_id)
    return "" if match is None else match[1].decode()


def other_coin(coin_id: bytes, value_cents: int, currency: Currency) -> tuple[str, str] | None:
    """Return the fault and its detail if a hopper names another coin than the configured one; None if it fits.

    A hopper whose coin is not programmed names none; the configured coin is assumed.
    """
    match = _COIN_ID.fullmatch(coin_id)
    if match is None:
        return None
    said, wanted = f"the hopper names its coin {match[0].decode()}", f"{value_cents} cents of {currency}"
    if match[1] != currency.country.encode():
        money = by_country(match[1].decode())
        mend = f"have it programmed for {currency}, or correct {_KEYS} in [cabinet.money]"
        return "wrong_currency", f"{said}, of {money}, the cabinet pays {wanted}: {mend}"
    if int(match[2]) != value_cents:
        return "settings", f"{said}, [hopper] coin_value_cents says {wanted}: correct it, or have the hopper programmed"
    return None


def wanted_interval_s(answer: bytes) -> float | None:
    """Return the longest poll interval that an answer to request 249 allows; None if it names none.

    Unit 0 names none: value 0 refers to the manual, 255 to a hardware line. Units of days and longer never matter.
    """
    unit, value = answer
    if not value or unit not in _UNIT_S:
        return None
    return value * _UNIT_S[unit]


async def poll_interval_s(bus: Bus, address: int, configured_s: float) -> float:
    """Return the poll interval: the configured one, or a shorter one if the device asks for it.

    The configured interval applies if the device does not answer. Raise `PortError` when the line is lost.
    """
    try:
        answer = await bus.request(address, Header.POLLING_PRIORITY, sizes=_PRIORITY_SIZES, attempts=_PRIORITY_TRIES)
    except (NoReplyError, WireError):
        return configured_s
    wanted_s = wanted_interval_s(answer)
    return configured_s if wanted_s is None else max(FASTEST_POLL_S, min(configured_s, wanted_s))


async def known_coins(bus: Bus, address: int, currency: Currency) -> dict[int, int]:
    """Return the value in cents of each position that holds a coin of `currency`.

    Raise `CurrencyError` if the device knows only coins of other countries, and what the bus raises.
    """
    known: dict[int, int] = {}
    countries: set[str] = set()
    for position in range(1, POSITIONS + 1):
        sizes = range(COIN_ID_SIZE, COIN_ID_SIZE + 1)
        # a late reply to the position before it would give this one the other's value
        coin_id = await bus.agreed(address, Header.COIN_ID, bytes((position,)), sizes=sizes)
        value_cents = coin_value(coin_id, currency)
        if value_cents is not None:
            known[position] = value_cents
        countries |= {coin_country(coin_id)} - {""}
    if not known and currency.country not in countries:
        coins = [f"coins of {by_country(country)}" for country in sorted(countries)]
        raise foreign(bus, coins, currency, _KEYS)
    return known
