"""Page U.6: a signed copy of a journal archive on a stick, verified before the archive on the card is deleted."""

from pathlib import Path

from controller.files.bounded import ForeignFileError, chunks, digest_of
from controller.files.durable import durable_file
from controller.files.own_files import JOURNAL
from controller.journal.archives import Archive
from controller.journal.errors import UNREADABLE, RefusedError, translated
from controller.journal.store import read_only
from controller.keys.identity import Identity
from controller.media.snapshots import manifest_of, write_onto

KIND = "archive"


def copied(found: tuple[Archive, Path], stick: Path, own: Identity, name: str, now_ms: int) -> Path:
    """Copy an archive from a file into a new signed folder on a stick, and return the folder.

    Raises `JournalError`, `StickError`, and `RefusedError` for an archive that is not the file named in the journal.
    """
    archive, file = found

    def copy(place: Path) -> None:
        try:
            with durable_file(place, JOURNAL) as target:  # flushed, so that errors of the stick are raised here
                for chunk in chunks(file, archive.size):
                    target.write(chunk)
            same = digest_of(place, archive.size) == archive.sha256
        except ForeignFileError:
            same = False
        if not same:
            raise RefusedError("The archive {name} is not as the books name it", name=archive.name)

    try:
        with read_only(file) as connection:
            manifest = manifest_of(connection, KIND, name, now_ms)
    except UNREADABLE as error:
        raise translated(error, file) from error
    return write_onto(stick, manifest, own, made={archive.name: copy})
