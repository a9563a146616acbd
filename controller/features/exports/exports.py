"""M.7 and `cabinet export`: the journal as signed files in a folder, on a stick or anywhere else."""

from pathlib import Path

from controller.keys.identity import Identity
from controller.media.snapshots import FORMATS, files_of, manifest_of, snapshot, write_onto

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
    with snapshot(journal) as connection:
        manifest = manifest_of(connection, KIND, name, now_ms)
        return write_onto(parent, manifest, identity, files_of(connection, formats, tables=tables))
