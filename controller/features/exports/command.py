"""`cabinet export` and `cabinet verify-export`: the journal as signed files, and their verification."""

import time
from pathlib import Path

import click

from common.error_words import error_reason, error_words
from controller.errors import LockingError
from controller.features.exports.exports import export as write
from controller.features.exports.summary import read_summary
from controller.files.bounded import printable
from controller.keys import identity
from controller.keys.identity import NotAuthenticError, read_public_key
from controller.media.signed_folder import Manifest, NotSignedError, verify_folder
from controller.media.snapshots import FORMATS
from controller.media.sticks import StickError

_KEY = click.option(
    "--key", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="The file with the cabinet's key."
)


@click.command()
@click.argument("journal", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--format", "kind", type=click.Choice([*FORMATS, "both"]), default="both", show_default=True)
@click.option("--tables", is_flag=True, help="The journal's whole tables too, the ledger among them.")
@click.option("--name", default="", help="The cabinet's name, for the manifest.")
@_KEY
def export(journal: Path, folder: Path, kind: str, *, tables: bool, name: str, key: Path | None) -> None:
    """Export the journal JOURNAL into a new folder in FOLDER, signed by the cabinet; the journal is only read.

    These are the files that M.7 of the service menu writes on a USB stick. Amounts are in cents. The manifest has the
    last ledger row and its hash, which covers all rows before it.
    """
    try:
        own = identity.read_identity(key or journal.with_name(journal.name + ".key"))
        if own is None:
            raise click.ClickException(f"{journal}.key does not exist: name the cabinet's key with --key")
        folder.mkdir(parents=True, exist_ok=True)
        formats = FORMATS if kind == "both" else (kind,)
        made = write(journal, folder, own, name, time.time_ns() // 1_000_000, formats=formats, tables=tables)
    except StickError as error:
        reason = error if error.__cause__ is None else error_reason(error.__cause__)
        raise click.ClickException(f"{folder} cannot be written: {reason}") from error
    except LockingError as error:
        raise click.ClickException(str(error)) from error
    click.echo(made)


@click.command()
@click.argument("folder", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--text", help="A text scanned from the screen's QR code, instead of a folder; wants --key.")
@_KEY
def verify_export(folder: Path | None, text: str | None, key: Path | None) -> None:
    """Verify that FOLDER (an export, backup or snapshot), or a scanned text, is as the cabinet signed it.

    Give the cabinet's key (its `cabinet.pem`, saved at its set-up). Without it the key in the folder is printed, to be
    compared with the cabinet's own.
    """
    try:
        public_key = None if key is None else read_public_key(key)
    except NotAuthenticError as error:
        raise click.UsageError(str(error)) from error
    try:
        if text is not None and public_key is not None:
            said = read_summary(text, public_key)
            lines = [f"{name:<14} {lifetime:>12} {period:>12}" for name, (lifetime, period) in said.meters.items()]
            adds_up = (
                "as the meters add up to"
                if said.balance_cents == said.credit_cents
                else "NOT what the meters add up to"
            )
            lines.append(f"{'credit':<14} {said.credit_cents:>12} {adds_up}")
            head = f"cabinet {said.cabinet_id}, journal {said.generation}, {said.made}, row {said.seq} {said.head}"
            click.echo("\n".join((head, f"{'':<14} {'lifetime':>12} {'period':>12}", *lines)))
        elif folder is not None and text is None:
            click.echo(_in_words(verify_folder(folder, public_key), proved=public_key is not None))
        else:
            raise click.UsageError("name a FOLDER, or --text together with --key")
    except NotSignedError as error:
        raise click.ClickException(": ".join(filter(None, (str(error), error.mend)))) from error
    except OSError as error:
        raise click.ClickException(error_words(error)) from error


def _in_words(manifest: Manifest, *, proved: bool) -> str:
    by = "this cabinet's key" if proved else "the key that it brings along; compare it with the cabinet's"
    lines = (
        f"{manifest.kind} of cabinet {manifest.cabinet_id} {manifest.name}{' (simulated)' * manifest.simulated}",
        f"  journal {manifest.generation}, made {manifest.made} by cabinet {manifest.program}",
        f"  ledger row {manifest.seq} {manifest.head}",
        f"  {len(manifest.files)} files are as they were signed",
        f"  signed with {manifest.public_key}: {by}",
    )
    return "\n".join(map(printable, lines))  # without the cabinet's key anybody may have signed them
