"""The lists of docs/fault-model.md, from the table of the fault model: `python -m tests.fault_model_page`.

They lie between `<!-- rows of the fault model -->` and `<!-- end of rows -->`: the ways to trigger a row, the kinds of
devices, and the rows. Rows that several kinds have in common are one list under a heading that names those kinds.
"""

import ast
import inspect
import re
from collections.abc import Iterator
from itertools import pairwise

from drivers.simulated.fault_model.rows import How, Row
from drivers.simulated.fault_model.table import FAULT_MODEL
from tests.rigs.markdown import wrapped
from tests.rigs.paths import ROOT

PAGE = ROOT / "docs" / "fault-model.md"
LISTS = re.compile(r"<!-- rows of the fault model -->\n.*<!-- end of rows -->", re.DOTALL)


def page(text: str) -> str:
    """Return the page `text` with its lists as the table has them."""
    lines = "\n".join(written())
    return LISTS.sub(lambda _: f"<!-- rows of the fault model -->\n\n{lines}\n\n<!-- end of rows -->", text)


def written() -> Iterator[str]:
    """Yield the lines of all lists."""
    for how, says in ways().items():
        yield from wrapped(f"- **{how}**: {says}")
    yield from ("", "## Kinds", "")
    groups = shared()
    for kind, rows in FAULT_MODEL.items():
        links = [link(kind, kinds) for kinds in groups if kind in kinds]
        yield from wrapped(f"- {kind} ({len(rows)}): {', '.join(links)}")
    for kinds, rows in groups.items():
        yield from ("", f"## {heading(kinds)}", "")
        for row in rows:
            yield from item(row)


def ways() -> dict[How, str]:
    """Return the docstring below each way to trigger a row."""
    (node,) = ast.parse(inspect.getsource(How)).body
    assert isinstance(node, ast.ClassDef)
    found: dict[How, str] = {}
    for way, below in pairwise(node.body):
        match way, below:
            case ast.Assign(targets=[ast.Name(name)]), ast.Expr(ast.Constant(str(says))):
                found[How[name]] = says
    return found


def shared() -> dict[tuple[str, ...], list[Row]]:
    """Return each row once, by the kinds of devices that have it."""
    kinds_of: dict[Row, tuple[str, ...]] = {}
    for kind, rows in FAULT_MODEL.items():
        for row in rows:
            kinds_of[row] = (*kinds_of.get(row, ()), kind)
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row, kinds in kinds_of.items():
        groups.setdefault(kinds, []).append(row)
    return groups


def heading(kinds: tuple[str, ...]) -> str:
    """Return the heading of the rows of `kinds`."""
    return " and ".join(kinds)


def link(kind: str, kinds: tuple[str, ...]) -> str:
    """Return the link from a kind to the rows that it has in common with `kinds`."""
    anchor = re.sub(r"[^\w-]", "", heading(kinds).lower().replace(" ", "-"))
    return f"[{'its own' if kinds == (kind,) else heading(kinds)}](#{anchor})"


def item(row: Row) -> Iterator[str]:
    """Yield the lines of a row."""
    yield from wrapped(f"- **`{row.name}`** ({row.how}): {row.event}")
    yield from wrapped(f"- Money: {row.money}", "    ")
    yield from wrapped(f"- Source: {row.source}", "    ")
    yield from wrapped(f"- Test: `{row.test}`", "    ")


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
