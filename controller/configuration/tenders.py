"""The rules for coins and notes in `cabinet.toml`: each must exist in the cabinet's currency."""

from collections.abc import Iterator

from controller.configuration.fields import Fields, Misfit, Problem, items, matching, quoted
from drivers.currency import CURRENCIES, EURO, Currency, written_so

USUAL_NOTES = (500, 1000, 2000, 5000)
"""The default of `limits.notes_cents`: of a currency without one of them that one never comes."""


def currency_of(fields: Fields) -> Currency | None:
    """Return the cabinet's currency, None for a code that is not known."""
    code = fields.get("cabinet.money.currency", "")
    return CURRENCIES.get(code) if code else written_so(fields.get("cabinet.money.symbol", "")) or EURO


def tenders(fields: Fields) -> Iterator[Problem]:
    """Report coins and notes that the cabinet's currency does not have."""
    currency = currency_of(fields)
    if currency is None:
        return
    coins, notes = currency.coins_cents, currency.notes_cents
    if tuple(fields.get("limits.notes_cents", ())) != USUAL_NOTES:
        yield from _unknown(fields, "limits.notes_cents", f"note of {currency}", notes)
    yield from _unknown(fields, "coin_acceptor.coins_cents", f"coin of {currency}", coins)
    yield from _unknown(fields, "pins.pulse.coin.channels.*.values_cents.*", f"coin of {currency}", coins)
    yield from _unknown(fields, "pins.pulse.note.channels.*.values_cents.*", f"note of {currency}", notes)
    if fields.get("hopper.protocol") == "cctalk":
        yield from _unknown(fields, "hopper.coin_value_cents", f"coin of {currency}", coins)
    else:  # a step in which coins or notes are paid
        yield from _unknown(fields, "hopper.coin_value_cents", f"coin or note of {currency}", (*coins, *notes))


def _unknown(fields: Fields, pattern: str, what: str, known: tuple[int, ...]) -> Iterator[Problem]:
    for key, value in matching(fields, pattern):
        for item_key, cents in items(key, value):
            if cents not in known:
                listed = quoted([str(each) for each in known])
                yield Problem(item_key, f"is {cents}, and there is no such {what}; choose of: {listed}", Misfit.VALUE)
