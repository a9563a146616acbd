"""The files that `cabinet par GAME` writes besides the plain sheet: designer's page, comparison, regulators' sheet.

Their modules are imported only on demand, because they need numpy or fpdf2, which a cabinet does not have.
"""

import hashlib
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec
from rich.table import Column, Table
from rich.text import Text

from controller.commands.whole_table import print_within
from controller.files.own_files import Kind, like, refuse_foreign, starting_with
from gamekit.catalogue import folder_of
from gamekit.maths import Maths
from gamekit.par import ParSheet
from gamekit.read_back import Bet, DisagreementError, Returns, hold_returns

if TYPE_CHECKING:
    from gamekit.designer.comparing import Comparison
    from gamekit.designer.figures import DesignSheet
    from gamekit.designer.versions import Version

Progress = Callable[[str, int, int], None]

_HTML = starting_with("sheet of figures as HTML", b'<!doctype html><html lang="en"><head>')
_JSON = like("sheet of figures as JSON", rb"\{\s*\"par\"")
_CSV = starting_with("sheet of figures as CSV", b"game,maths_version,")
_PDF = starting_with("PDF document", b"%PDF-")


def design(maths: Maths, sheet: ParSheet, seed: int, limit_s: float, progress: Progress) -> "DesignSheet":
    """Return the designer's figures; end the command if numpy is missing."""
    try:
        from gamekit.designer.working_out import design_sheet  # noqa: PLC0415 - as this module says
    except ImportError as error:
        raise click.ClickException(f"{error}: run `pip install 'cabinet[bake]'`") from error
    return design_sheet(maths, sheet, seed=seed, limit_s=limit_s, progress=progress)


def other_version(place: Path, game: str, wanted: tuple[int, float] | None, progress: Progress) -> "Version":
    """Return the version in `place`; for a folder with its designer's figures, if `wanted` gives seed and limit."""
    from gamekit.designer.versions import VersionError, Wanted, read  # noqa: PLC0415 - as this module says

    progress("the other version", 0, 1)
    try:
        found = read(place, game, None if wanted is None else Wanted(*wanted))
    except VersionError as error:
        raise click.UsageError(str(error)) from error
    progress("the other version", 1, 1)
    return found


def compared(sheet: ParSheet, found: "DesignSheet | None", other: "Version") -> "Comparison":
    """Return the versions side by side."""
    from gamekit.designer.comparing import compare  # noqa: PLC0415 - as this module says

    return compare(other.name, sheet, other.par, found, other.design)


def print_comparison(comparison: "Comparison") -> None:
    """Print the versions side by side, differences in bold and marked; nothing is cut, and long cells wrap."""
    click.echo(f"this version beside {comparison.name}; a difference is this version's figure less the other's")
    table = Table(
        "",
        Column(ratio=4, overflow="fold"),
        Column("this version", ratio=3, overflow="fold"),
        Column("the other", ratio=3, overflow="fold"),
        Column("this less the other", ratio=2, overflow="fold"),
    )
    for row in comparison.rows:
        table.add_row(
            "*" if row.different else "",
            *(Text(cell) for cell in (row.what, row.this, row.other, row.difference)),
            style="bold" if row.different else None,
        )
    print_within(table)
    click.echo(comparison.summary)


def write_page(file: Path, found: "DesignSheet", comparison: "Comparison | None") -> list[Path]:
    """Write the page, and its figures as JSON and CSV beside it; return the files."""
    from gamekit.designer.page import design_html  # noqa: PLC0415 - as this module says
    from gamekit.designer.tables import design_csv  # noqa: PLC0415

    as_json = msgspec.json.format(msgspec.json.encode(found), indent=1).decode() + "\n"
    texts = {
        file: (design_html(found, comparison), _HTML),
        file.with_suffix(".json"): (as_json, _JSON),
        file.with_suffix(".csv"): (design_csv(found), _CSV),
    }
    for path, (text, kind) in texts.items():
        _write(path, text.encode(), kind)
    return list(texts)


def write_sheet(file: Path, maths: Maths, sheet: ParSheet) -> None:
    """Write the regulators' sheet as PDF or HTML by the file's suffix; end the command if it does not match the game.

    Its returns must be those of the game's files, and its hash that of the text which it names as hashed.
    """
    if hashlib.sha256(sheet.maths.encode()).hexdigest() != sheet.maths_hash:
        raise click.ClickException(
            f"nothing was written: GAME.maths_hash is not the hash of MATHS_PARTS; make it maths_hash(**MATHS_PARTS)"
            f" in {folder_of(sheet.game) / '__init__.py'}"
        )
    try:
        hold_returns(sheet.game, _returns(sheet), digits=6)
    except DisagreementError as error:
        raise click.ClickException(f"nothing was written: {error}") from error
    from gamekit.designer.regulator import regulator_sheet  # noqa: PLC0415 - as this module says

    blocks = regulator_sheet(maths, sheet)
    if file.suffix == ".html":
        from gamekit.designer.regulator_html import as_html  # noqa: PLC0415

        _write(file, as_html(blocks).encode(), _HTML)
        return
    try:
        from gamekit.designer.regulator_pdf import LetterError, as_pdf  # noqa: PLC0415
    except ImportError as error:
        raise click.ClickException(
            f"{error}: run `pip install 'cabinet[sheets]'`, or name a file that ends in .html and print that"
        ) from error
    try:
        _write(file, as_pdf(blocks), _PDF)
    except LetterError as error:
        raise click.ClickException(str(error)) from error


def _returns(sheet: ParSheet) -> Returns:
    return {
        Bet(lines=bet.lines, coins_per_line=bet.coins_per_line, price=bet.price, state=bet.state): (
            Fraction(bet.rtp_percent) / 100
        )
        for bet in sheet.bets
    }


def _write(file: Path, data: bytes, kind: Kind) -> None:
    try:
        refuse_foreign(file, kind)
        file.write_bytes(data)
    except OSError as error:
        raise click.ClickException(f"{file} cannot be written: {error.strerror}") from error
