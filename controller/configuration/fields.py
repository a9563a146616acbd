"""The fields of a `cabinet.toml`: the parsed file compared with the structs, and flattened.

A field is a dotted key with its value; omitted keys have their defaults. All rules work on fields.
"""

import difflib
import fnmatch
from collections.abc import Iterator, Sequence
from enum import Enum, auto
from functools import cache
from typing import Any, NamedTuple

import msgspec
from msgspec import inspect

Fields = dict[str, Any]

SECRET = frozenset({"hopper.pin", "hopper.ssp_key", "bill_validator.ssp_key", "bill_validator.cctalk_key"})
"""Keys whose values never appear in messages, logs, the journal or exports."""
HIDDEN = "(hidden)"
_PIN = 'a BCM number or an expander\'s pin such as "x20.A3"'
_SHOWN = 40  # the most characters of a wrong value in a message


class Misfit(Enum):
    """The kinds of problem for which the service menu has its own words."""

    OTHER = auto()
    VALUE = auto()
    """Another value is needed: this one is outside its limits, too long, or taken."""
    EMPTY_LIST = auto()
    """A list of which one item must stay is empty."""


class Problem(msgspec.Struct, frozen=True):
    """One problem: the dotted `key` (empty for the file as a whole) and a text with the remedy."""

    key: str
    text: str
    kind: Misfit = Misfit.OTHER


@cache
def type_info(kind: type[msgspec.Struct]) -> inspect.Type:
    """Return msgspec's description of a table's type."""
    return inspect.type_info(kind)


def _join(key: str, name: str) -> str:
    return f"{key}.{name}" if key else name


def quoted(names: Sequence[str]) -> str:
    """Return names as a list in a sentence."""
    return ", ".join(names)


def _did_you_mean(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else "take it out"
    return f"{hint} (known here: {quoted(known)})"


def walk(value: Any, kind: inspect.Type, key: str, fields: Fields) -> Iterator[Problem]:
    """Compare `value` with `kind`: valid fields are added to `fields`, the rest is yielded as problems."""
    kind = without_null(kind)
    if isinstance(kind, inspect.StructType):
        yield from _walk_struct(value, kind, key, fields)
    elif (entries := entries_of(kind)) is not None:
        yield from _walk_named(value, entries, key, fields)
    elif wanted := _not_a(value, kind):
        yield Problem(key, f"must be {wanted}, not {shown(value, key)}")
    else:
        fields[key] = value
        for item_key, item in items(key, value):
            yield from _outside(item, kind, item_key)


def without_null(kind: inspect.Type) -> inspect.Type:
    """Return the type of a key's value: TOML has no null, so `Table | None` is the table."""
    if not isinstance(kind, inspect.UnionType):
        return kind
    parts = tuple(part for part in kind.types if not isinstance(part, inspect.NoneType))
    return parts[0] if len(parts) == 1 else inspect.UnionType(parts)


class Entries(NamedTuple):
    """The entries of a table such as `[pins.buttons]`: what each is, their names (any number if empty), their type."""

    thing: str
    names: Sequence[str]
    type: inspect.Type


def entries_of(kind: inspect.Type) -> Entries | None:
    """Return the entries of a table that has named ones (`common.bounds.entries`), else None."""
    if not isinstance(kind, inspect.Metadata) or not isinstance(kind.type, inspect.DictType):
        return None
    declared = kind.extra or {}
    return Entries(declared["thing"], declared["names"](), kind.type.value_type)


def _plain_types(kind: inspect.Type) -> Iterator[tuple[inspect.Type, dict[str, Any]]]:
    """Yield the types of a value, or of a list's items, that are no union, with what is declared beside them."""
    if isinstance(kind, inspect.Metadata):
        yield kind.type, kind.extra or {}
    elif isinstance(kind, inspect.VarTupleType):
        yield from _plain_types(kind.item_type)
    elif isinstance(kind, inspect.UnionType):
        for part in kind.types:
            yield from _plain_types(part)
    else:
        yield kind, {}


def choices_of(kind: inspect.Type) -> tuple[str | int, ...]:
    """Return the words or numbers that a key of this type may have; none where it is free."""
    found: list[str | int | None] = []
    for part, declared in _plain_types(kind):
        found += part.values if isinstance(part, inspect.LiteralType) else declared.get("choices", ())
    return tuple(value for value in found if value is not None)


def bounds_of(kind: inspect.Type) -> tuple[int, int, str] | None:
    """Return the least and the greatest number that a key of this type may have, and the unit; None without bounds."""
    for part, declared in _plain_types(kind):
        if isinstance(part, inspect.IntType) and part.ge is not None and part.le is not None:
            return part.ge, part.le, declared["unit"]
    return None


def type_at(kind: inspect.Type, key: str) -> inspect.Type:
    """Return the type of a key within a table of type `kind`; raise `KeyError` if there is no such key."""
    for name in key.split("."):
        kind = without_null(kind)
        if (entries := entries_of(kind)) is not None:
            kind = entries.type
        elif isinstance(kind, inspect.StructType):
            kind = {field.encode_name: field.type for field in kind.fields}[name]
        else:
            raise KeyError(key)
    return without_null(kind)


def _outside(item: Any, kind: inspect.Type, key: str) -> Iterator[Problem]:
    """Report a value that is none of the key's choices, and a number outside its bounds."""
    choices, limits = choices_of(kind), bounds_of(kind)
    if item not in choices and type(item) in {type(choice) for choice in choices}:
        yield Problem(
            key, f"cannot be {item!r}; choose one of: {quoted([str(choice) for choice in choices if choice != ''])}"
        )
    if isinstance(item, int) and limits is not None and not limits[0] <= item <= limits[1]:
        least, most, unit = limits
        yield Problem(key, f"is {shown(item)}; give {least} to {most} ({unit})", Misfit.VALUE)
    for part, _ in _plain_types(kind):
        if isinstance(part, inspect.StrType) and isinstance(item, str):
            if part.min_length and not item.strip():
                yield Problem(key, "is empty; give it a value", Misfit.VALUE)
            if part.max_length is not None and len(item) > part.max_length:
                text = f"has {len(item)} characters; a line on the screen holds {part.max_length}"
                yield Problem(key, text, Misfit.VALUE)


def _walk_struct(value: Any, kind: inspect.StructType, key: str, fields: Fields) -> Iterator[Problem]:
    if not isinstance(value, dict):
        yield Problem(key, f"must be a table ([{key}]), not {shown(value)}")
        return
    struct_fields = {struct_field.encode_name: struct_field for struct_field in kind.fields}
    for name, item in value.items():
        if name in struct_fields:
            yield from walk(item, struct_fields[name].type, _join(key, name), fields)
        else:
            yield Problem(_join(key, name), f"is no known key; {_did_you_mean(name, list(struct_fields))}")
    for name, struct_field in struct_fields.items():
        if name not in value:
            if struct_field.required:
                yield Problem(_join(key, name), "is missing; add it")
            else:
                default = (
                    struct_field.default
                    if struct_field.default_factory is msgspec.NODEFAULT
                    else struct_field.default_factory()
                )
                _add_default(msgspec.to_builtins(default), _join(key, name), fields)


def _walk_named(value: Any, entries: Entries, key: str, fields: Fields) -> Iterator[Problem]:
    if not isinstance(value, dict):
        yield Problem(key, f"must be a table ([{key}]), not {shown(value)}")
        return
    known = entries.names
    for name, item in value.items():
        if name in known or (not known and name.isascii() and name.isdigit()):
            yield from walk(item, entries.type, _join(key, name), fields)
        else:
            yield Problem(_join(key, name), f"is no {entries.thing}; {_did_you_mean(name, known)}")


def _add_default(value: Any, key: str, fields: Fields) -> None:
    if isinstance(value, dict):
        for name, item in value.items():
            _add_default(item, _join(key, name), fields)
    elif value is not None:
        fields[key] = value


def _not_a(value: Any, kind: inspect.Type) -> str:
    """Return the expected kind of value in words, or "" if `value` is one."""
    if isinstance(kind, inspect.Metadata):
        kind = kind.type
    if isinstance(kind, inspect.UnionType):  # a pin, or a number with a word for it
        fits = any(not _not_a(value, part) for part in kind.types)
        words = [
            quoted([f'"{word}"' for word in part.values])
            for part in kind.types
            if isinstance(part, inspect.LiteralType)
        ]
        return "" if fits else f"a whole number or {words[0]}" if words else _PIN
    if isinstance(kind, inspect.VarTupleType):
        item_wanted = [_not_a(item, kind.item_type) for item in value] if isinstance(value, list) else ["all"]
        numbers = any(isinstance(part, inspect.IntType) for part, _ in _plain_types(kind))
        plural = "whole numbers" if numbers else "texts in quotes"
        return f"a list of {plural}" if any(item_wanted) else ""
    if isinstance(kind, inspect.BoolType):
        return "" if isinstance(value, bool) else "true or false"
    if isinstance(kind, inspect.IntType) or (isinstance(kind, inspect.LiteralType) and isinstance(kind.values[0], int)):
        return "" if isinstance(value, int) and not isinstance(value, bool) else "a whole number"
    if not isinstance(kind, inspect.StrType | inspect.LiteralType):  # `_outside` checks a literal's choices
        raise TypeError(f"{kind} has no rule here; teach _not_a about it before a table uses it")
    return "" if isinstance(value, str) else "a text in quotes"


def shown(value: Any, key: str = "") -> str:
    """Return a wrong value, shortened; never that of a `SECRET` key."""
    if key in SECRET:
        return HIDDEN
    if isinstance(value, dict):
        return "a table"
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def items(key: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield a list's items, each with its own key, or the value itself."""
    if isinstance(value, list | tuple):
        for position, item in enumerate(value):
            yield f"{key}[{position}]", item
    else:
        yield key, value


def matching(fields: Fields, pattern: str) -> Iterator[tuple[str, Any]]:
    """Yield the fields whose key fits a pattern such as `pins.*.active`."""
    if set(pattern).isdisjoint("*?["):
        keys = [pattern] if pattern in fields else []
    else:
        keys = fnmatch.filter(fields, pattern)
    return ((key, fields[key]) for key in keys)


def is_port(key: str) -> bool:
    """Whether a key names a serial port; the venue's is a number of TCP."""
    return key.endswith(".port") and key != "venue.port"
