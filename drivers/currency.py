"""The supported currencies and their names in each device protocol.

- ccTalk names a coin or note by two letters, those of ISO 3166 and `EU` for the euro (protocols.md, 1).
- SSP names a dataset, and each of its channels, by the three letters of ISO 4217 (protocols.md, 2.2).
- ID-003 names a note by a byte. JCM's own list is confidential. A byte is given here where at least two public drivers
  by different authors agree on it: `CurrencySpecification.h` of AlexObukhoff/TerminalClient, `id0003Mapping.m` of
  leanfrancucci/CIM-ARM, and a Kotlin ccTalk library (`package cctalk.currency`). None was tried on a device here.
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from drivers.errors import CurrencyError


class Currency(msgspec.Struct, frozen=True, kw_only=True):
    """A currency of 100 cents.

    `code` is that of ISO 4217, `country` ccTalk's two letters, `id003` ID-003's country byte, None where no public
    source is reliable. `symbol` is the usual sign of amounts, in front of them with `symbol_first`. `coins_cents` and
    `notes_cents` are the values in circulation.
    """

    code: str
    country: str
    id003: int | None
    symbol: str
    symbol_first: bool = False
    coins_cents: tuple[int, ...]
    notes_cents: tuple[int, ...]

    def __str__(self) -> str:
        return self.code


_EURO_COINS: Final = (1, 2, 5, 10, 20, 50, 100, 200)

EURO: Final = Currency(
    code="EUR",
    country="EU",
    id003=0xE0,
    symbol="€",
    coins_cents=_EURO_COINS,
    notes_cents=(500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000),
)

CURRENCIES: Final = {
    currency.code: currency
    for currency in (
        EURO,
        Currency(
            code="GBP",
            country="GB",
            id003=0x17,
            symbol="£",
            symbol_first=True,
            coins_cents=_EURO_COINS,
            notes_cents=(500, 1_000, 2_000, 5_000),
        ),
        Currency(
            code="USD",
            country="US",
            id003=0x01,
            symbol="$",
            symbol_first=True,
            coins_cents=(1, 5, 10, 25, 50, 100),
            notes_cents=(100, 200, 500, 1_000, 2_000, 5_000, 10_000),
        ),
        Currency(
            code="CHF",
            country="CH",
            id003=0x16,
            symbol="CHF",
            symbol_first=True,
            coins_cents=(5, 10, 20, 50, 100, 200, 500),
            notes_cents=(1_000, 2_000, 5_000, 10_000, 20_000, 100_000),
        ),
        Currency(
            code="CAD",
            country="CA",
            id003=0x08,
            symbol="$",
            symbol_first=True,
            coins_cents=(5, 10, 25, 100, 200),
            notes_cents=(500, 1_000, 2_000, 5_000, 10_000),
        ),
        Currency(
            code="AUD",
            country="AU",
            id003=0x02,
            symbol="$",
            symbol_first=True,
            coins_cents=(5, 10, 20, 50, 100, 200),
            notes_cents=(500, 1_000, 2_000, 5_000, 10_000),
        ),
        Currency(
            code="NZD",
            country="NZ",
            id003=0x0D,
            symbol="$",
            symbol_first=True,
            coins_cents=(10, 20, 50, 100, 200),
            notes_cents=(500, 1_000, 2_000, 5_000, 10_000),
        ),
        Currency(
            code="DKK",
            country="DK",
            id003=0x3A,
            symbol="kr.",
            coins_cents=(50, 100, 200, 500, 1_000, 2_000),
            notes_cents=(5_000, 10_000, 20_000, 50_000, 100_000),
        ),
        Currency(
            code="SEK",
            country="SE",
            id003=0x05,
            symbol="kr",
            coins_cents=(100, 200, 500, 1_000),
            notes_cents=(2_000, 5_000, 10_000, 20_000, 50_000, 100_000),
        ),
        Currency(
            code="NOK",
            country="NO",
            id003=None,
            symbol="kr",
            coins_cents=(100, 500, 1_000, 2_000),
            notes_cents=(5_000, 10_000, 20_000, 50_000, 100_000),
        ),
        Currency(
            code="PLN",
            country="PL",
            id003=0x1A,
            symbol="zł",
            coins_cents=(1, 2, 5, 10, 20, 50, 100, 200, 500),
            notes_cents=(1_000, 2_000, 5_000, 10_000, 20_000, 50_000),
        ),
        Currency(
            code="CZK",
            country="CZ",
            id003=0x2C,
            symbol="Kč",
            coins_cents=(100, 200, 500, 1_000, 2_000, 5_000),
            notes_cents=(10_000, 20_000, 50_000, 100_000, 200_000, 500_000),
        ),
        Currency(
            code="HUF",
            country="HU",
            id003=0x30,
            symbol="Ft",
            coins_cents=(500, 1_000, 2_000, 5_000, 10_000, 20_000),
            notes_cents=(50_000, 100_000, 200_000, 500_000, 1_000_000, 2_000_000),
        ),
    )
}
"""Currencies by code; of several with the same symbol the most common comes first."""

_BY_COUNTRY: Final = {currency.country: currency for currency in CURRENCIES.values()}
_BY_BYTE: Final = {currency.id003: currency for currency in CURRENCIES.values() if currency.id003 is not None}


def written_so(symbol: str) -> Currency | None:
    """Return the first currency with that symbol, None if there is none."""
    return next((currency for currency in CURRENCIES.values() if currency.symbol == symbol), None)


def by_country(country: str) -> str:
    """Return ccTalk's two letters in quotes, followed by their currency if it is known."""
    known = _BY_COUNTRY.get(country)
    return f"'{country}' ({known})" if known else f"'{country}'"


def by_byte(country: int) -> str:
    """Return ID-003's country byte, followed by its currency if it is known."""
    known = _BY_BYTE.get(country)
    return f"country {country:02X} ({known})" if known else f"country {country:02X}"


def foreign(where: object, found: Iterable[str], wanted: Currency, keys: str = "currency") -> CurrencyError:
    """Return the error for a device with another currency than the cabinet's; it names both and the keys to check."""
    takes = " and ".join(found) or "no money that it names"
    return CurrencyError(
        f"{where}: the device takes {takes}, the cabinet is played in {wanted}: "
        f"fit a device for {wanted}, or correct {keys} in [cabinet.money]"
    )
