"""Merges the signed exports of many cabinets: verifies each, orders those of each cabinet, and reports problems.

A cabinet's exports form *lines*: books whose lifetime meters continue each other. A full clear and a rebuild begin a
new line; a restored backup continues the line from which it was made. The newest verified export of a line contains all
its periods, so nothing is counted twice, and an export in between may be missing without a gap.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from common.error_words import error_words
from controller.features.exports.continuity import (
    SEALED_ROWS,
    Beginning,
    BrokenError,
    Proof,
    beginning_of,
    check_figures,
    prove_meters_rise,
    same_books,
)
from controller.features.exports.export_reader import Export, ForeignExportError, OtherFolderError, proved_export
from controller.files.bounded import names_in, printable
from controller.files.left_by_others import is_left_by_others
from controller.journal.event_catalogue import Event
from controller.journal.ledger import ADDS, TAKES
from controller.media.signed_folder import MANIFEST, NotSignedError

MOST_FOLDERS = 100_000
"""The most names read from one folder: fifty cabinets' daily exports over five years."""
LARGEST_MANIFEST = 1024 * 1024
"""The most bytes of an unverified manifest in which the cabinets' keys are searched."""
DEPTH = 3
"""How many levels below the named folder exports are searched: a stick's or a month's folder within a site's."""

Kind = Literal["unproved", "foreign", "missing", "gap", "overlap", "break", "note"]


class Finding(NamedTuple):
    """Something that a person must check: the file, the problem, and what to do. A `note` needs no action."""

    kind: Kind
    file: str
    words: str
    mend: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.file}: {self.words}" + (f"; {self.mend}" if self.mend else "")


class Line(NamedTuple):
    """The newest verified export of a line, how it follows the previous one, and the lifetime meters at its start."""

    export: Export
    proof: Proof
    base: Mapping[str, int]


class Merged(NamedTuple):
    """Every cabinet's lines, oldest first, by cabinet, and the problems found."""

    lines: tuple[Line, ...]
    findings: tuple[Finding, ...]


def signed_folders(folder: Path, depth: int = DEPTH) -> list[Path]:
    """Return the folders below `folder` that contain a manifest, sorted; links are not followed. Raises `OSError`."""
    found: list[Path] = []
    for name in names_in(folder, MOST_FOLDERS):
        below = folder / name
        if is_left_by_others(name):
            continue
        if below.is_dir() and not below.is_symlink() and not name.endswith(".part"):
            if (below / MANIFEST).is_file():
                found.append(below)
            elif depth > 1:
                found += signed_folders(below, depth - 1)
    return found


def merge(folders: Sequence[Path], keys: Mapping[bytes, str]) -> Merged:
    """Verify the exports in these folders against the cabinets' keys, and merge the verified ones.

    `keys` are public keys with the names of their files. Raises `OSError` for a folder that cannot be read.
    """
    findings: list[Finding] = []
    cabinets: dict[str, list[Export]] = {}
    unproved: list[str] = []
    for folder in folders:
        if (export := _proved(folder, keys, findings)) is not None:
            cabinets.setdefault(export.manifest.cabinet_id, []).append(export)
        else:
            with (folder / MANIFEST).open("rb") as manifest:
                unproved.append(manifest.read(LARGEST_MANIFEST).decode(errors="replace"))
    findings += _owners(cabinets, keys)
    seen = {export.manifest.public_key for exports in cabinets.values() for export in exports}
    # An export that is present but not verified is reported as such; its cabinet is then not reported as missing.
    seen |= {key.hex() for key in keys if any(key.hex() in text for text in unproved)}
    findings += [
        Finding(
            "missing", name, "no export is signed with this key", "bring one, or take the key of a retired cabinet away"
        )
        for key, name in keys.items()
        if key.hex() not in seen
    ]
    lines = [line for cabinet in sorted(cabinets) for line in _Cabinet(cabinets[cabinet], findings).lines]
    return Merged(tuple(lines), tuple(findings))


def _proved(folder: Path, keys: Mapping[bytes, str], findings: list[Finding]) -> Export | None:
    place = printable(folder)
    try:
        export = proved_export(folder, keys)
        check_figures(export)
    except ForeignExportError as error:
        mend = "if the cabinet is yours, save the cabinet.pem of its set-up among the keys; else take the folder away"
        findings.append(Finding("foreign", place, str(error), mend))
    except OtherFolderError as error:
        findings.append(Finding("note", place, str(error), ""))
    except NotSignedError as error:
        findings.append(Finding("unproved", place, str(error), error.mend))
    except (BrokenError, ValueError, KeyError) as error:
        mend = "make a new export, and audit the cabinet's journal"
        findings.append(Finding("break", place, f"{error_words(error)}", mend))
    else:
        return export
    return None


def _owners(cabinets: Mapping[str, Sequence[Export]], keys: Mapping[bytes, str]) -> list[Finding]:
    """Report keys that signed for several cabinets, since a holder of such a key could sign for another cabinet."""
    owners: dict[str, str] = {}
    found: list[Finding] = []
    for cabinet, exports in sorted(cabinets.items()):
        for export in exports:
            key = export.manifest.public_key
            if owners.setdefault(key, cabinet) != cabinet:
                name = keys[bytes.fromhex(key)]
                words = f"the key {name} signed it for cabinet {cabinet[:8]}, and others for {owners[key][:8]}"
                found.append(Finding("break", printable(export.folder), words, "find out which cabinet has this key"))
    return found


class _Cabinet:
    """One cabinet's exports in order, joined into lines."""

    def __init__(self, exports: list[Export], findings: list[Finding]) -> None:
        self.lines: list[Line] = []
        self._findings = findings
        for export in sorted(
            exports, key=lambda one: (one.manifest.generation, one.manifest.seq, one.manifest.made, one.name)
        ):
            try:
                self._take(export)
            except BrokenError as error:
                mend = "find out which of the two is the cabinet's own, take the other away, and merge again"
                findings.append(Finding("break", printable(export.folder), str(error), mend))
            except (ValueError, KeyError) as error:
                mend = "make a new export, and audit the cabinet's journal"
                findings.append(
                    Finding("break", printable(export.folder), f"a table cannot be read: {error_words(error)}", mend)
                )

    def _take(self, export: Export) -> None:
        if not self.lines:
            self.lines.append(Line(export, "first", {}))
            return
        newest = self.lines[-1]
        old, new = newest.export.manifest, export.manifest
        if old.public_key != new.public_key:
            self._note(
                export, f"its key is another one than that of {newest.export.name}", "compare with its event log"
            )
        if old.generation == new.generation:
            proof = same_books(newest.export, export)
            if old.seq == new.seq:
                self._note(export, f"it ends at the same ledger row as {newest.export.name}: counted once", "")
            self._go_on(export, proof)
            return
        beginning = beginning_of(export)
        if beginning is None:
            words = f"its events do not say how journal {new.generation} began"
            self._name("gap", export, words, "add an earlier export of this journal")
            self.lines.append(Line(export, "first", {}))
        elif beginning.code == Event.RESTORED.code:
            self._restored(export, beginning)
        else:
            self._begun(export, beginning)

    def _begun(self, export: Export, beginning: Beginning) -> None:
        """Handle the first export of the books after a full clear or a rebuild."""
        before = self.lines[-1].export
        old, new = before.manifest, export.manifest
        proof: Proof = "sequence"
        if new.generation > old.generation + 1:
            words = f"no export of journal {old.generation + 1} to {new.generation - 1} of this cabinet is there"
            self._name("gap", export, words, "add the cabinet's snapshots of that time")
        elif old.seq < beginning.row:
            if beginning.code == Event.FULL_CLEAR.code:
                words = f"rows {old.seq + 1} to {beginning.row} of journal {old.generation} were in no export"
                self._name("gap", export, words, "add the snapshot of that full clear: it lies beside the journal")
        elif old.seq > beginning.row + SEALED_ROWS:
            words = f"journal {new.generation} began after row {beginning.row}, {before.name} reaches row {old.seq}"
            self._name(
                "overlap", export, words, "what that journal counted since is in no later books: compare by hand"
            )
        elif old.seq == beginning.row and beginning.hash:
            if not old.head.startswith(beginning.hash):
                raise BrokenError(f"it began after another row {beginning.row} than that of {before.name}")
            proof = "chain"
        rebuilt = beginning.code == Event.REBUILT.code
        if rebuilt and old.seq <= beginning.row:
            prove_meters_rise(before, export)
        self.lines.append(Line(export, proof, before.meters if rebuilt else {}))

    def _restored(self, export: Export, beginning: Beginning) -> None:
        """Handle an export of restored books, which continue those that were backed up."""
        while len(self.lines) > 1 and not _counted(self.lines[-1].export):
            self.lines.pop()  # cleared for the restore: it counted nothing
        before = self.lines[-1].export
        if before.manifest.seq <= beginning.row:
            if before.manifest.seq == beginning.row and not before.manifest.head.startswith(beginning.hash):
                raise BrokenError(f"its backup has another row {beginning.row} than {before.name}")
            self._go_on(export, same_books(before, export))
            return
        words = f"its backup ended at row {beginning.row}, {before.name} reaches row {before.manifest.seq}"
        mend = "what was counted between is in no later books: compare the meters by hand"
        self._name("overlap", export, words, mend)
        self._go_on(export, "sequence")

    def _go_on(self, export: Export, proof: Proof) -> None:
        """Replace the newest export by `export`; a line's proof is that of its weakest step."""
        newest = self.lines[-1]
        strength: tuple[Proof, ...] = ("sequence", "anchors", "chain", "first")
        self.lines[-1] = Line(export, min(proof, newest.proof, key=strength.index), newest.base)

    def _name(self, kind: Kind, export: Export, words: str, mend: str) -> None:
        self._findings.append(Finding(kind, printable(export.folder), words, mend))

    def _note(self, export: Export, words: str, mend: str) -> None:
        self._name("note", export, words, mend)


def _counted(export: Export) -> bool:
    return any(export.meters.get(name, 0) for name in (*ADDS, *TAKES))
