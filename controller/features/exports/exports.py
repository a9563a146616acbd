"""M.7 and `cabinet export`: the journal as signed files in a folder, on a stick or anywhere else."""

from pathlib import Path

from controller.features.exports.figures import FORMATS, files_of, folder_name, manifest_of, snapshot
from controller.keys.identity import Identity
from controller.media.signed_folder import NotSignedError, write_folder
from controller.media.sticks import DIFFERS, StickError, stick_errors

KIND = "export"


def export(
    journal: Path,
    parent: Path,
    identity: Identity,
    name: str,
    now_ms: int,
    *,
    formats: tuple[str, ...] = FORMATS,
    tables: bool = False,
) -> Path:
    """Write an export of the journal into a new folder in `parent` and return it; the journal is only read.

    Raises `JournalError`, `StickError` for errors of the medium, and `IdentityError`.
    """
    with snapshot(journal) as connection, stick_errors():
        manifest = manifest_of(connection, KIND, name, now_ms)
        try:
            return write_folder(
                parent, folder_name(manifest), manifest, files_of(connection, formats, tables=tables), identity
            )
        except NotSignedError as error:
            raise StickError(DIFFERS) from error
