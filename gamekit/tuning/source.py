"""Writes what was found into a game's source: strings of `strips.py` that spell the reels, weights, `MATHS_VERSION`.

Nothing else of the files changes. The strips must be spelled as `cabinet new-game` writes them: a dictionary from
letters to symbols, and a tuple of strings, one for each reel, by any names.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from gamekit.reels import Strip

STRIPS = "strips.py"
VERSION = "MATHS_VERSION"
_WIDEST = 110


class SourceError(ValueError):
    """A game's source has not the shape that can be rewritten; the message has file and mend."""


class Edit(NamedTuple):
    """A file of a game, and what it shall hold."""

    file: Path
    text: str


def edits(folder: Path, before: Sequence[Strip], after: Sequence[Strip]) -> tuple[list[Edit], int]:
    """Return the edits that replace the strips `before` with `after`, and the new maths version.

    Raises `SourceError` if the source does not spell `before`, or has no version.
    """
    file = folder / STRIPS
    text = file.read_text("utf-8")
    letters, spelled = _spelling(file, text, before)
    signs = {symbol: letter for letter, symbol in letters.items()}
    written = _replaced(text, spelled, _formatted(["".join(signs[symbol] for symbol in strip) for strip in after]))
    for other in sorted(folder.glob("[!.]*.py")):  # another computer may have added `._strips.py`
        source = written if other == file else other.read_text("utf-8")
        for name, value in _constants(source):
            if name == VERSION and isinstance(value, ast.Constant) and isinstance(value.value, int):
                version = value.value + 1
                raised = _replaced(source, value, str(version))
                return [Edit(file, raised)] if other == file else [Edit(file, written), Edit(other, raised)], version
    raise SourceError(f"{folder}: no file has {VERSION} = a number; write it into pays.py")


def with_weights(folder: Path, planned: Sequence[Edit], name: str, weights: Mapping[int, int]) -> list[Edit]:
    """Return `planned` with the new weights of the table called `name` in `pays.py` added.

    The table's numbers are replaced one by one, so that it keeps its layout. Raises `SourceError` if it has none.
    """
    file = folder / "pays.py"
    text = next((edit.text for edit in planned if edit.file == file), None) or file.read_text("utf-8")
    called = next((value for constant, value in _constants(text) if constant == name), None)
    table = called.args[0] if isinstance(called, ast.Call) and called.args else None
    if not isinstance(table, ast.Dict) or set(weights) != {_literal(key) for key in table.keys if key is not None}:
        raise SourceError(f"{file}: write {name} = WeightedTable({{amount: weight, ...}}) in numbers")
    pairs = [(key, value) for key, value in zip(table.keys, table.values, strict=True) if key is not None]
    for key, value in reversed(pairs):  # from the end, so that earlier positions stay valid
        text = _replaced(text, value, str(weights[ast.literal_eval(key)]))
    return [*(edit for edit in planned if edit.file != file), Edit(file, text)]


def write(planned: Sequence[Edit]) -> None:
    """Replace files once all are written beside them; raise `OSError`, with each as it was, if one cannot be."""
    fresh = {edit.file: edit.file.with_name(f"{edit.file.name}.part") for edit in planned}
    try:
        for file, text in planned:
            fresh[file].write_text(text, "utf-8")
    except OSError:
        for part in fresh.values():
            with suppress(OSError):
                part.unlink()
        raise
    for file, part in fresh.items():
        part.replace(file)


def _spelling(file: Path, text: str, strips: Sequence[Strip]) -> tuple[Mapping[str, str], ast.expr]:
    """Return the letters and the expression that together spell `strips`."""
    values = [(value, _literal(value)) for _, value in _constants(text)]
    for _, letters in values:
        if not isinstance(letters, dict):
            continue
        for expression, spelled in values:
            if isinstance(spelled, tuple) and [
                tuple(letters.get(letter) for letter in strip) for strip in spelled if isinstance(strip, str)
            ] == list(strips):
                return letters, expression
    raise SourceError(
        f"{file}: no tuple of strings spells the reels by a dictionary of letters; write the strips as"
        " `cabinet new-game` does"
    )


def _constants(text: str) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names and values that a module's own level sets."""
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            yield statement.targets[0].id, statement.value
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
            yield statement.target.id, statement.value


def _literal(value: ast.expr) -> object:
    try:
        return ast.literal_eval(value)
    except ValueError:
        return None


def _replaced(text: str, part: ast.expr, by: str) -> str:
    """Return `text` with the source of `part` replaced."""
    lines = text.encode().splitlines(keepends=True)
    first, last = part.lineno - 1, (part.end_lineno or part.lineno) - 1
    end = part.end_col_offset or 0
    kept = [*lines[:first], lines[first][: part.col_offset]], [lines[last][end:], *lines[last + 1 :]]
    return (b"".join(kept[0]) + by.encode() + b"".join(kept[1])).decode()


def _formatted(strips: Sequence[str]) -> str:
    """Return a tuple of strings as the project's formatter writes it."""
    rows = []
    for strip in strips:
        pieces = [f'"{strip[start : start + _WIDEST]}"' for start in range(0, len(strip), _WIDEST)]
        if len(pieces) == 1:
            rows.append(f"    {pieces[0]},\n")
        else:
            rows.append("".join(["    (\n", *(f"        {piece}\n" for piece in pieces), "    ),\n"]))
    return "".join(["(\n", *rows, ")"])
