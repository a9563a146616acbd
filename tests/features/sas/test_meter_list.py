"""`docs/meters.md`: each soft meter with what it counts, its size, and when it is updated."""

import ast
import sqlite3
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.features.sas.meter_list import UPDATED
from controller.journal import ledger
from controller.journal.errors import JournalError
from controller.journal.periods import meter
from controller.journal.transaction import HARD_METER_OF, SUBTRACTED_FROM
from controller.service import soft_meters
from tests.rigs.books import opened

ROOT = Path(__file__).parents[3]
DECLARED = {
    **soft_meters.MONEY,
    **soft_meters.STORE,
    **soft_meters.COUNTS,
    **soft_meters.MONEY_BESIDE,
    **soft_meters.COUNTS_BESIDE,
    **{f"{name}_*": declared for name, declared in soft_meters.VALUES.items()},
}
CARRIED = ("carried_on", "carried_over")
"""Kinds of rows that take over whatever figures other books had."""
BY_VARIABLE = {
    ("wins", "open_item"),
    ("found_in", "open_item"),
    ("notes_stored", "note"),
    ("notes_stored", "open_item"),
    ("notes_unstored", "store_boxed"),
    ("hopper_emptied", "store_boxed"),
    ("coins_to_hopper", "coin"),
    ("coins_way_unknown", "coin"),
    ("own_tickets_in", "ticket_in"),
    ("own_tickets_out", "ticket_out"),
    ("hopper_out", "hopper_coin"),
    ("hopper_coins", "hopper_coin"),
    ("host_in", "host_in"),
    ("host_out", "host_out"),
    ("host_ins", "host_in"),
    ("host_outs", "host_out"),
    ("collections", "event"),
    ("period_clears", "event"),
    ("test_pulses_*", "event"),
    ("doubtful_test_pulses_*", "event"),
}
"""Meters whose name or kind is in a variable where they are posted, so that it cannot be read from the code."""


def value(node: ast.expr, module: ModuleType) -> str | None:
    """A constant, a module's constant, or an f-string with `*` for what varies; None for anything else."""
    match node:
        case ast.Constant(str(text)):
            return text
        case ast.Name(name):
            found = getattr(module, name, None)
            return found if isinstance(found, str) else None
        case ast.Attribute(ast.Name(name), attribute):
            found = getattr(getattr(module, name, None), attribute, None)
            return found if isinstance(found, str) else None
        case ast.JoinedStr(parts):
            return "".join(part.value if isinstance(part, ast.Constant) else "*" for part in parts)
    return None


def block_of(call: ast.Call, function: ast.AST) -> list[ast.stmt]:
    """The innermost list of statements that a call is in."""
    blocks = [
        block
        for node in ast.walk(function)
        for block in (getattr(node, name, None) for name in ("body", "orelse"))
        if isinstance(block, list) and any(call in ast.walk(step) for step in block)
    ]
    return min(blocks, key=lambda block: block[-1].end_lineno - block[0].lineno)


def assigned(name: str, steps: Iterable[ast.AST]) -> Iterator[ast.expr]:
    """What a variable is given in these statements, alone or as one of several."""
    for step in steps:
        if isinstance(step, ast.Assign):
            targets = [each for target in step.targets for each in getattr(target, "elts", [target])]
            values = getattr(step.value, "elts", [step.value])
            for target, given in zip(targets, values, strict=False):
                if isinstance(target, ast.Name) and target.id == name:
                    yield given


def dictionaries(node: ast.expr, call: ast.Call, function: ast.AST) -> Iterator[ast.Dict]:
    """The dictionaries written in an argument, or in what its variable was given: beside the call if it was there."""
    if isinstance(node, ast.Name):
        given = [*assigned(node.id, block_of(call, function))] or [*assigned(node.id, ast.walk(function))]
    else:
        given = [node]
    yield from (found for each in given for found in ast.walk(each) if isinstance(found, ast.Dict))


def posted() -> set[tuple[str, str]]:
    """Each meter with the kind of row that raises it, as far as the code names both."""
    found = set()
    for path in sorted((ROOT / "controller").rglob("*.py")):
        syntax = ast.parse(path.read_text("utf-8"))
        functions = [node for node in ast.walk(syntax) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        for function in functions:
            for call in ast.walk(function):
                word = next((word for word in getattr(call, "keywords", ()) if word.arg == "meters"), None)
                if not isinstance(call, ast.Call) or word is None:
                    continue
                named = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
                if named not in ("post", "event", "log", "record_fault"):
                    continue
                module = import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
                kind = value(call.args[0], module) if named == "post" else "event"
                keys = [
                    key for each in dictionaries(word.value, call, function) for key in each.keys if key is not None
                ]
                names = (value(key, module) for key in keys)
                found |= {(name, kind) for name in names if name is not None and kind is not None}
    return found


def same(declared: str, name: str) -> bool:
    """Whether a declared meter is that of a name in the code, either with `*` for what varies."""
    return fnmatchcase(declared, name) or fnmatchcase(name, declared)


def test_the_page_is_what_the_command_writes() -> None:
    """`docs/meters.md` is what `cabinet meters` writes: after a change of the meters run that command again."""
    shown = CliRunner().invoke(main, ["meters"])
    assert shown.exit_code == 0
    assert (ROOT / "docs" / "meters.md").read_text("utf-8") == shown.output


def test_every_posting_is_declared() -> None:
    """What the code posts to a meter is said of it, with the kind of row."""
    found = posted()
    assert len(found) > 30
    assert not {
        (name, kind)
        for name, kind in found
        if kind not in CARRIED
        and not any(same(declared, name) and kind in meter.kinds for declared, meter in DECLARED.items())
    }


def test_nothing_is_declared_that_is_never_posted() -> None:
    """Each kind of row that is said of a meter raises it."""
    found = posted()
    assert not {
        (declared, kind)
        for declared, meter in DECLARED.items()
        for kind in meter.kinds
        if (declared, kind) not in BY_VARIABLE
        and not any(same(declared, name) and kind == other for name, other in found)
    }


def test_every_term_of_the_equation_and_every_source_of_a_hard_meter_is_declared() -> None:
    """The self-audit's terms have a label; nothing feeds a hard meter that the page does not name."""
    assert {*ledger.ADDS, *ledger.TAKES} == soft_meters.MONEY.keys()
    assert HARD_METER_OF.keys() | SUBTRACTED_FROM.keys() <= DECLARED.keys()


def test_every_kind_of_row_has_a_moment() -> None:
    """And none is explained that raises nothing."""
    assert {kind for declared in DECLARED.values() for kind in declared.kinds} == UPDATED.keys()


def test_a_meter_does_not_roll_over(tmp_path: Path) -> None:
    """The largest number is held exactly; a transaction beyond it is refused, and leaves credit and meters alone."""
    with opened(tmp_path) as store:
        store.transact(
            lambda tx: tx.post("service_credit", credit=5, meters={"service_credit": 5, "games": ledger.MOST})
        )
        with pytest.raises((JournalError, sqlite3.Error)) as refused:
            store.transact(lambda tx: tx.post("service_credit", credit=1, meters={"service_credit": 1, "games": 1}))
        assert "meters.value" in str(refused.value)
    with opened(tmp_path, create=False) as store:
        assert store.transact(lambda tx: (meter(tx, "games"), tx.credit_cents)) == (ledger.MOST, 5)
