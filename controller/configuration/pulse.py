"""The rules for pulse acceptors in `cabinet.toml`, and the notes of `check-config` on them: they report no device."""

from collections.abc import Iterator

from controller.configuration.fields import Fields, Misfit, Problem, matching
from controller.configuration.tenders import currency_of
from drivers.currency import CURRENCIES
from drivers.wiring import MOST_PULSES, PULSE_ACCEPTORS, Pins


def pulse(fields: Fields) -> Iterator[Problem]:
    """Report pulse acceptors without channels or values, in another currency, or with times that contradict."""
    for name in PULSE_ACCEPTORS:
        table = f"pins.pulse.{name}"
        if f"{table}.currency" in fields:
            yield from _currency(fields, table)
            yield from _times(fields, table)
            if not any(matching(fields, f"{table}.channels.*.pin")):
                yield Problem(f"{table}.channels", "is empty; name at least one, such as `a`", Misfit.EMPTY_LIST)
    for key, _pin in matching(fields, "pins.pulse.*.channels.*.pin"):
        values = f"{key.removesuffix('.pin')}.values_cents"
        counts = [name.rpartition(".")[2] for name, _cents in matching(fields, f"{values}.*")]
        if not counts:
            yield Problem(values, "is empty; give a number of pulses its value, such as { 1 = 50 }", Misfit.EMPTY_LIST)
        for count in counts:
            if count != str(int(count)) or not 1 <= int(count) <= MOST_PULSES:
                yield Problem(f"{values}.{count}", f"is no number of pulses; give 1 to {MOST_PULSES}", Misfit.VALUE)


def _currency(fields: Fields, table: str) -> Iterator[Problem]:
    code = fields[f"{table}.currency"]
    known = currency_of(fields)
    if known is not None and code in CURRENCIES and CURRENCIES[code] != known:
        mend = "change it only with the acceptor's own settings, its values_cents, and [cabinet.money]"
        yield Problem(f"{table}.currency", f"is {code}, and the cabinet is played in {known}; {mend}", Misfit.VALUE)


def _times(fields: Fields, table: str) -> Iterator[Problem]:
    least, most, end = (fields.get(f"{table}.{key}") for key in ("least_ms", "most_ms", "end_ms"))
    if isinstance(least, int) and isinstance(most, int) and least >= most:
        yield Problem(f"{table}.least_ms", f"is {least}, not below most_ms, {most}; lower it", Misfit.VALUE)
    if isinstance(most, int) and isinstance(end, int) and end <= most:
        yield Problem(f"{table}.end_ms", f"is {end}, not above most_ms, {most}: one pulse would end the burst")


def unpromised(pins: Pins) -> Iterator[str]:
    """Yield one sentence for each property of the wired pulse acceptors that no program can guarantee."""
    for name, acceptor in pins.pulse.items():
        key = f"pins.pulse.{name}"
        yield (
            f"{key}: a {name} whose pulses come while this program is down, or that a power cut interrupts, cannot be "
            f"proved; what was begun becomes an open item, the rest is lost (docs/configuration.md, pulse acceptors)"
        )
        if acceptor.enable is None:
            yield (
                f"{key}: without `enable` it takes a {name} at any time, also while play is locked or this program is "
                "down; wire its inhibit line"
            )
