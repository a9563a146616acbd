"""The lists of keys in docs/configuration.md, from the fields of `cabinet.toml`: `python -m tests.key_reference`.

A list stands between `<!-- keys of [table] -->` and `<!-- end of keys -->`. Its items are the fields of that table: the
key, its default, the docstring below the field, the choices that it does not name, and the bounds. A table within it is
a list within the list, unless the page has a list of its own for it.
"""

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any

import msgspec
from msgspec import inspect as types

from controller.configuration.cabinet_toml import whole_file
from controller.configuration.fields import bounds_of, choices_of, entries_of, type_at, type_info, without_null
from tests.rigs.markdown import wrapped
from tests.rigs.paths import ROOT

PAGE = ROOT / "docs" / "configuration.md"
LIST = re.compile(r"<!-- keys of \[([\w.]+)\] -->\n.*?<!-- end of keys -->", re.DOTALL)
Struct = type[msgspec.Struct]


def page(text: str) -> str:
    """Return the page `text` with its lists of keys as the fields have them."""
    own = frozenset(LIST.findall(text))

    def written(found: re.Match[str]) -> str:
        lines = "\n".join(listed(struct_at(found[1]), found[1], own))
        return f"<!-- keys of [{found[1]}] -->\n\n{lines}\n\n<!-- end of keys -->"

    return LIST.sub(written, text)


def struct_at(table: str) -> Struct:
    """Return the struct of a table such as `limits` or `pins.pulse`, whose entries are all of one struct."""
    struct, _ = struct_in(type_at(type_info(whole_file()), table))
    assert struct is not None, f"[{table}] is no table"
    return struct


def fields_of(struct: Struct) -> tuple[types.Field, ...]:
    """Return the fields of a struct with their types."""
    kind = type_info(struct)
    assert isinstance(kind, types.StructType)
    return kind.fields


def struct_in(kind: types.Type) -> tuple[Struct | None, tuple[str, ...]]:
    """Return the struct that a key holds, or None; and the names of its entries if it is a table of several."""
    kind = without_null(kind)
    if (entries := entries_of(kind)) is not None:
        return struct_in(entries.type)[0], tuple(entries.names)
    return (kind.cls if isinstance(kind, types.StructType) else None), ()


@cache
def sentences(struct: Struct) -> dict[str, str]:
    """Return the docstring below each field of a struct and of those that it extends, on one line."""
    found: dict[str, str] = {}
    for kind in reversed(struct.__mro__[: struct.__mro__.index(msgspec.Struct)]):
        (node,) = ast.parse(inspect.getsource(kind)).body
        assert isinstance(node, ast.ClassDef)
        for field, below in pairwise(node.body):
            match field, below:
                case ast.AnnAssign(target=ast.Name(name)), ast.Expr(ast.Constant(str(text))):
                    found[name] = " ".join(text.split())
    return found


def listed(struct: Struct, table: str, own: frozenset[str] = frozenset(), indent: str = "") -> Iterator[str]:
    """Yield the lines of the list of a table's keys; tables in `own` have their own lists."""
    for field in fields_of(struct):
        name, key = field.encode_name, f"{table}.{field.encode_name}"
        says, (inner, names) = sentences(struct).get(name, ""), struct_in(field.type)
        if inner is None or not sentences(inner):
            yield from wrapped(f"- `{name}`{default_of(field)}: {says.removesuffix('.')}{allowed(field, says)}", indent)
            continue
        yield from wrapped(f"- `[{key}]`: {says} {' '.join(f'`{name}`' for name in names)}", indent)
        if key not in own:
            yield from listed(inner, key, own, f"{indent}  ")


def default_of(field: types.Field) -> str:
    """Return ` = ` with the value of a key that is left out; nothing for one that has none or depends on the games."""
    if field.default in (None, msgspec.NODEFAULT):
        return ""
    return f" = `{toml(msgspec.to_builtins(field.default))}`"


def toml(value: Any) -> str:
    """Return a value as the file has it."""
    match value:
        case bool():
            return str(value).lower()
        case int():
            return f"{value:_}" if value >= 10_000 else str(value)
        case list() | tuple():
            return f"[{', '.join(map(toml, value))}]"
        case dict():
            pairs = ", ".join(f"{key} = {toml(item)}" for key, item in value.items() if item is not None)
            return f"{{ {pairs} }}" if pairs else "{}"
    return f'"{value}"'


def allowed(field: types.Field, says: str) -> str:
    """Return what a key may hold as far as its sentence does not say it: its choices, and its bounds."""
    choices, limits = [f"`{toml(choice)}`" for choice in choices_of(field.type)], bounds_of(field.type)
    parts = ["required"] if field.required else []
    if not all(choice in says for choice in choices):
        parts.append(" ".join(choices))
    if limits is not None and not is_pin(field.type):
        least, most, unit = limits
        counted, _, zero = unit.partition("; ")
        parts.append(f"{least} to {toml(most)}" + ("" if counted.startswith(("a ", "an ", "the ")) else f" {counted}"))
        parts += [zero] if zero.startswith("0 ") else []
    return f" ({'; '.join(parts)})" if parts else ""


def is_pin(kind: types.Type) -> bool:
    """Whether a key holds a pin, which may be an expander's."""
    return isinstance(kind, types.UnionType) and any(isinstance(part, types.StrType) for part in kind.types)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
