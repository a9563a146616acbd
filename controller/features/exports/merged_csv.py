"""The CSV of merged exports: a row per cabinet and period, with each meter's count in it and its lifetime figure.

Amounts are in cents; counts are counts. The last row of each journal is its open period, up to the export.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from controller.features.exports.continuity import CLOSINGS
from controller.features.exports.merging import Line
from controller.files.own_files import starting_with
from controller.journal.ledger import ADDS, TAKES

HEAD = (
    "cabinet_id",
    "cabinet",
    "simulated",
    "journal",
    "period",
    "state",
    "until",
    "by",
    "export",
    "proof",
    "balance_cents",
)
"""The first columns; each meter's count in the period follows, and then each `<meter>_lifetime`."""
MERGED = starting_with("CSV of merged exports", HEAD[0].encode("ascii"))
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def merged_csv(lines: Sequence[Line]) -> str:
    """Return the CSV of these lines, in their order."""
    found = {name for line in lines for name in line.export.meters}.difference(CLOSINGS)
    main = (*ADDS, *TAKES, "games")
    names = [name for name in main if name in found] + sorted(found.difference(main))
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow((*HEAD, *names, *(f"{name}_lifetime" for name in names)))
    for line in lines:
        writer.writerows(_rows(line, names))
    return text.getvalue()


def _rows(line: Line, names: Sequence[str]) -> Iterator[list[object]]:
    export, manifest = line.export, line.export.manifest
    lifetime, base = dict.fromkeys(names, 0), line.base
    periods = [(one.number, "closed", _moment(one.closed_ms), one.who, one.meters) for one in export.periods]
    now = ((export.periods[-1].number if export.periods else 0) + 1, "open", manifest.made, "", export.open_period)
    for number, state, until, who, meters in [*periods, now]:
        differences = {name: meters.get(name, 0) - base.get(name, 0) for name in names}
        lifetime = {name: lifetime[name] + meters.get(name, 0) for name in names}
        base = {}  # only the first period of rebuilt books includes earlier counts
        balance = sum(differences.get(name, 0) for name in ADDS) - sum(differences.get(name, 0) for name in TAKES)
        yield [
            manifest.cabinet_id,
            _text(manifest.name),
            int(manifest.simulated),
            manifest.generation,
            number,
            state,
            until,
            _text(who),
            _text(export.folder.name),
            line.proof,
            balance,
            *differences.values(),
            *lifetime.values(),
        ]


def _moment(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _text(words: str) -> str:
    """Return a text that no spreadsheet interprets as a formula."""
    return f"'{words}" if words.startswith(_FORMULA) else words
