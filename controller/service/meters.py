"""M: the meters. These pages are read-only."""

from collections.abc import Mapping, Sequence

from controller.faults import DOOR_CLOSED
from controller.journal import ledger, periods
from controller.journal.diagnostics import meter_diagnostic
from controller.journal.hard_meters import HardMeter, hard_meters
from controller.journal.totals import games_since
from controller.journal.transaction import Transaction, hard_figures
from controller.service import soft_meters
from controller.service.page import Line, Page, added_lines, of_books
from controller.service.serviced_machine import ServicedMachine
from controller.service.soft_meters import labels
from ui.protocol.values import moment

MINUS = "\u2212"
AGREES, DIFFERS = "agrees", "differs"
NEVER, NOT_FITTED, PULSES = "never", "not fitted", "pulses given"
MONEY = labels(soft_meters.MONEY)
STORE = labels(soft_meters.STORE)
"""Shown if they were ever counted."""
COUNTS = labels(soft_meters.COUNTS)
SINCE = {
    ("power_up", ""): "Games since power-up",
    (DOOR_CLOSED, "main"): "Games since the main door was shut",
}
"""The occurrence meters that count from an event, by its code and place (M6)."""
BY_VALUE = labels(soft_meters.VALUES)
HARD_NAMES = {
    "coin_in": "Coin in",
    "coin_out": "Coin out",
    "drop": "Drop",
    "hand_pay": "Hand-pay",
    "games": "Games",
}


def _figures(figures: Mapping[str, int]) -> list[Line]:
    """Return the meters by name: money, counts, then coins and notes by value."""
    lines = [
        Line("Money in", cents=sum(figures.get(name, 0) for name in ledger.MONEY_IN)),
        Line("Money out", cents=sum(figures.get(name, 0) for name in ledger.MONEY_OUT)),
    ]
    lines += [Line(label, cents=figures.get(name, 0)) for name, label in MONEY.items()]
    lines += [Line(label, cents=figures[name]) for name, label in STORE.items() if name in figures]
    lines += [Line(label, count=figures.get(name, 0)) for name, label in COUNTS.items()]
    for kind, label in BY_VALUE.items():
        values = sorted(int(name.removeprefix(f"{kind}_")) for name in figures if of_value(name, kind))
        lines += [Line(label, count=figures[f"{kind}_{value}"], cents=value) for value in values]
    return lines


def of_value(name: str, kind: str) -> bool:
    """Whether a meter counts coins or notes of one value."""
    return name.startswith(f"{kind}_") and name.removeprefix(f"{kind}_").isdigit()


def _lifetime(tx: Transaction, _machine: ServicedMachine) -> Sequence[Line]:
    since = [Line(label, count=games_since(tx, *event)) for event, label in SINCE.items()]
    return [*_figures(periods.lifetime(tx)), *since]


def _since_collection(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    last = periods.periods(tx, 1)
    began = moment(last[0].closed_ms) if last else NEVER
    figures = _figures(periods.since_collection(tx))
    return (Line("Last collection", began, tone="heading"), *figures, *added_lines("M.2", tx, machine))


def _hard(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    meters = hard_meters(tx)
    tests, cut_tests = meter_diagnostic.pulses(tx), meter_diagnostic.doubtful_pulses(tx)
    lines = []
    for name, label in HARD_NAMES.items():
        meter = meters.get(name, HardMeter(name))
        fitted = name in machine.settings.config.pins.meters
        given = meter.given if fitted else None
        lines.append(Line(label, PULSES if fitted else NOT_FITTED, count=given, tone="heading"))
        lines.append(Line("Owed", cents=meter.owed) if name != "games" else Line("Owed", count=meter.owed))
        lines += _given_in_tests(tests, name)
        if doubtful := meter.doubtful + cut_tests.get(name, 0):
            lines.append(Line("Pulses cut by the power", count=doubtful, tone="bad"))
    return lines


def _reconciliation(tx: Transaction) -> Sequence[Line]:
    """Return the self-audit equation with its terms, and the soft meters beside the hard meters."""
    figures = periods.lifetime(tx)
    owed = sum(figures.get(name, 0) for name in ledger.ADDS) - sum(figures.get(name, 0) for name in ledger.TAKES)
    agrees = owed == tx.credit_cents
    soft = hard_figures(figures)
    meters = hard_meters(tx)
    lines = [Line("Self-audit", AGREES if agrees else DIFFERS, tone="good" if agrees else "bad")]
    lines += [Line(MONEY[name], "+", cents=figures.get(name, 0)) for name in ledger.ADDS]
    lines += [Line(MONEY[name], MINUS, cents=figures.get(name, 0)) for name in ledger.TAKES]
    lines += [Line("Credit", "=", cents=tx.credit_cents, tone="heading"), Line("Hard meters", tone="heading")]
    tests = meter_diagnostic.pulses(tx)
    for name, label in HARD_NAMES.items():
        meter = meters.get(name, HardMeter(name))
        booked, pulsed = soft.get(name, 0), meter.owed + meter.given_units
        same = pulsed == booked
        lines.append(Line(label, AGREES if same else DIFFERS, tone="good" if same else "bad"))
        if name == "games":
            lines += [Line("By the books", count=booked), Line("Given and owed", count=pulsed)]
        else:
            lines += [Line("By the books", cents=booked), Line("Given and owed", cents=pulsed)]
        lines += _given_in_tests(tests, name)
    return lines


def _given_in_tests(tests: Mapping[str, int], name: str) -> list[Line]:
    """Return the pulses of a hard meter beyond those of the journal: those of tests; empty if there are none."""
    return [Line("Given in tests", count=tests[name])] if tests.get(name) else []


PAGES = (
    Page("M.1", "Lifetime", _lifetime),
    Page("M.2", "Since last collection", _since_collection),
    Page("M.4", "Hard meters", _hard),
    of_books("M.5", "Reconciliation", _reconciliation),
)
