"""Record the changes of `cabinet.toml` since the last start as events (C11, S3).

The journal cannot know who edited the file, so the events name the file as the author.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from controller.configuration.cabinet_toml import Config
from controller.configuration.fields import SECRET
from controller.journal.key_value import SETTINGS, Stored
from controller.journal.settings import FILE, record_change_event
from controller.journal.transaction import Transaction

_NEWEST = Stored(SETTINGS, "newest_configuration", dict[str, str])
_NONE = "null"


def record_file_changes(tx: Transaction, file_config: Config) -> None:
    """Record what has changed in `cabinet.toml` since the last start; the first start records nothing."""
    now = dict(_flattened("", msgspec.to_builtins(file_config)))
    stored = _NEWEST.read(tx)
    before = now if stored is None else stored
    for key in sorted(before.keys() | now.keys()):
        old, new = before.get(key, _NONE), now.get(key, _NONE)
        if old != new:
            record_change_event(tx, key, old, new, FILE)
    if stored != now:
        _NEWEST.write(tx, now)


def _flattened(key: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yield each dotted key with its value as JSON."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _flattened(f"{key}.{name}" if key else name, item)
    else:
        shown = bool(value) if key in SECRET else value  # of a secret only whether it is set
        yield key, msgspec.json.encode(shown).decode()
