"""Reads a signed export: verifies it against the cabinets' keys, and returns its tables as values.

Amounts are in cents, times in milliseconds since 1970 by the cabinet's clock.

Errors derive from `NotSignedError` (ValueError, of controller.media.signed_folder):

- ForeignExportError: signed with a key of none of the operator's cabinets
- OtherFolderError: a signed folder with other contents: a backup, an archive, diagnostics
"""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from common.error_words import error_reason
from controller.features.exports.exports import KIND
from controller.files.bounded import ForeignFileError, opened, printable, read_bounded
from controller.keys.identity import fingerprint, public_key_in
from controller.media.signed_folder import KEY, Manifest, NotSignedError, verify_folder

KINDS = (KIND, "snapshot")
"""The kinds of signed folders that hold the tables of an export: M.7's and the full clear's."""
_MOST_PEM_BYTES = 4096


class ForeignExportError(NotSignedError):
    """A folder is signed with a key that belongs to none of the operator's cabinets."""


class OtherFolderError(NotSignedError):
    """A signed folder that is no export."""


class ClosedPeriod(NamedTuple):
    """A closed accounting period: each meter's count in it, when it was closed, and by whom."""

    number: int
    closed_ms: int
    who: str
    meters: dict[str, int]


class EventRow(NamedTuple):
    """An event's ledger row: its time, its code, and its figures as JSON."""

    at_ms: int
    code: str
    data: str

    @property
    def figures(self) -> dict[str, Any]:
        """The figures by name; raises `ValueError` if they are not a JSON object."""
        figures = json.loads(self.data)
        if not isinstance(figures, dict):
            raise ValueError(f"the figures of an event are no object: {printable(self.data)}")  # noqa: TRY004 - as its caller expects
        return figures


class Export:
    """A verified export; its tables are read on demand.

    Its attributes raise `ValueError` or `KeyError` for a table in another format than `cabinet export` writes, and
    `OSError`.
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest
        self._files = {file.name for file in manifest.files}

    @property
    def name(self) -> str:
        """The folder's name, for messages and for the CSV."""
        return printable(self.folder.name)

    @cached_property
    def meters(self) -> dict[str, int]:
        """Every meter's lifetime figure."""
        return {row["name"]: int(row["lifetime"]) for row in self._rows("meters")}

    @cached_property
    def open_period(self) -> dict[str, int]:
        """Each meter's count since the last period was closed."""
        return {row["name"]: int(row["since_collection"]) for row in self._rows("meters")}

    @cached_property
    def periods(self) -> tuple[ClosedPeriod, ...]:
        """The closed periods, oldest first."""
        return tuple(
            ClosedPeriod(
                int(row["period"]),
                int(row["closed_ms"]),
                str(row["person"] or row["who"] or ""),
                {str(name): int(value) for name, value in json.loads(row["meters"]).items()},
            )
            for row in self._rows("periods")
        )

    @cached_property
    def last_archived(self) -> int:
        """The last ledger row of the newest archive before these books, 0 for none."""
        return max((int(row["last_row"]) for row in self._rows("archives")), default=0)

    def events(self) -> dict[int, EventRow]:
        """Return the events by ledger row, without those before the last archive's newest rows."""
        return {
            int(row["seq"]): EventRow(int(row["at_ms"]), row["code"], row["data"] or "{}")
            for row in self._rows("events")
        }

    def anchors(self) -> dict[int, str]:
        """Return the ledger's hash by anchored row."""
        return {int(row["seq"]): row["hash"] for row in self._rows("anchors")}

    def ledger(self) -> Iterator[Mapping[str, Any]]:
        """Yield the ledger's rows if the export has the whole tables; otherwise none."""
        if {"table_ledger.json", "table_ledger.csv"} & self._files:
            yield from self._rows("table_ledger")

    def _rows(self, table: str) -> Iterator[dict[str, Any]]:
        """Yield a table's rows from its JSON, or from its CSV if there is no JSON, with `None` for an empty cell."""
        if f"{table}.json" in self._files:
            with opened(self.folder / f"{table}.json") as file:
                for line in file:
                    if (text := line.strip().rstrip(b",")) not in (b"[", b"]"):
                        yield json.loads(text)
            return
        with (
            opened(self.folder / f"{table}.csv") as file,
            io.TextIOWrapper(file, "utf-8", newline="") as text_file,
        ):
            for row in csv.DictReader(text_file, strict=True):
                yield {name: value or None for name, value in row.items()}


def read_keys(files: list[Path]) -> dict[bytes, str]:
    """Return the public keys in these PEM files with the files' names; raise `ValueError` for a file without one."""
    found: dict[bytes, str] = {}
    for file in files:
        try:
            key = public_key_in(read_bounded(file, _MOST_PEM_BYTES, follow=True).decode("ascii", "replace"))
        except (OSError, ForeignFileError) as error:
            raise ValueError(f"{printable(file)} cannot be read ({error_reason(error)})") from error
        if key is None:
            raise ValueError(
                f"{printable(file)} holds no public key: save the cabinet.pem of that cabinet's set-up there"
            )
        if key in found:
            raise ValueError(f"{printable(file)} holds the same key as {found[key]}: remove one of them")
        found[key] = printable(file.name)
    return found


def proved_export(folder: Path, keys: Mapping[bytes, str]) -> Export:
    """Return the export in `folder` after verifying its files and its signature with one of `keys`.

    Raises `NotSignedError` with the reason, and `OSError`.
    """
    try:
        own = public_key_in(read_bounded(folder / KEY, _MOST_PEM_BYTES).decode("ascii", "replace"))
    except (FileNotFoundError, ForeignFileError):
        own = None  # `verify_folder` raises the error
    if own is not None and own not in keys:
        raise ForeignExportError(f"it is signed with the key {fingerprint(own)}, which none of the keys' files holds")
    manifest = verify_folder(folder, own)
    if manifest.kind not in KINDS:
        raise OtherFolderError(f"it is of the kind {printable(manifest.kind)}, not an export")
    return Export(folder, manifest)
