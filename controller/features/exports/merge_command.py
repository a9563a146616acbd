"""`cabinet merge-exports`: verifies the signed exports of many cabinets and merges them into one CSV."""

from pathlib import Path

import click

from common.error_words import error_words
from controller.features.exports.export_reader import read_keys
from controller.features.exports.merged_csv import MERGED, merged_csv
from controller.features.exports.merging import merge, signed_folders
from controller.files.durable import write_durably
from controller.files.left_by_others import in_words, is_left_by_others

KEYS, RESULT = "keys", "merged.csv"


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--keys",
    type=click.Path(file_okay=False, path_type=Path),
    help=f"The folder with each cabinet's cabinet.pem, saved at its set-up as NAME.pem. [default: DIR/{KEYS}]",
)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help=f"The CSV. [default: DIR/{RESULT}]")
def merge_exports(folder: Path, keys: Path | None, out: Path | None) -> None:
    """Prove the signed exports below DIR and write one CSV: a row for each cabinet and period.

    Each export is proved with its cabinet's key, and as the continuation of the one before. What is unproved, foreign,
    missing, broken, overlapping or not there is named with its file and what to do, and is not in the CSV.

    Exit code 0: all is proved and whole. 1: something was named; the CSV holds the rest. 2: nothing could be merged.
    """
    keys, out = keys or folder / KEYS, out or folder / RESULT
    pems = sorted(keys.glob("*.pem"))
    try:
        found = read_keys([pem for pem in pems if not is_left_by_others(pem.name)])
        folders = signed_folders(folder)
    except (ValueError, OSError) as error:
        raise click.UsageError(error_words(error)) from error
    if not found:
        raise click.UsageError(f"{keys} holds no *.pem: save each cabinet's cabinet.pem there, from its set-up")
    if not folders:
        raise click.UsageError(f"{folder} holds no exports: copy the folders cabinet-export-… there")
    try:
        merged = merge(folders, found)
        if merged.lines:
            write_durably(out, merged_csv(merged.lines).encode("utf-8"), MERGED)
    except OSError as error:
        raise click.UsageError(error_words(error)) from error
    _mention_left_out(folder, keys)
    for finding in merged.findings:
        click.echo(str(finding))
    amiss = [finding for finding in merged.findings if finding.kind != "note"]
    cabinets = {line.export.manifest.cabinet_id for line in merged.lines}
    if not merged.lines:
        raise click.UsageError("none of the exports is proved: nothing was written")
    click.echo(f"{out}: {len(cabinets)} cabinets, {len(folders)} signed folders, {len(amiss)} things to look at")
    if amiss:
        raise click.exceptions.Exit(1)


def _mention_left_out(*places: Path) -> None:
    for place in places:
        if left := in_words(path.name for path in place.glob("*")):
            click.echo(f"{place}: {left}", err=True)
