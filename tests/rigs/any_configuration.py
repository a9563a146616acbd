"""Configurations that `check-config` accepts: any values of the sample are replaced by others within their bounds.

Left out is what a cabinet in one process cannot have otherwise: pins, ports, paths, the currency of its devices, the
disk that its room depends on, and who may turn the keys.
"""

from fnmatch import fnmatchcase
from typing import Any

import msgspec
from hypothesis import strategies as st

from controller.configuration.cabinet_toml import Config
from controller.configuration.checks import CHOICES, bounds, problems_in
from controller.configuration.fields import Fields, walk
from controller.settings.settings import Value
from games.catalogue import names

_KEPT = (
    "cabinet.run_dir",
    "cabinet.journal",
    "cabinet.second_copy",
    "cabinet.copy_locks",
    "cabinet.key",
    "cabinet.money.*",
    "cabinet.crash_locks",
    "pins.*",
    "*.port",
    "*.address",
    "*.serial",
    "*.protocol",
    "*.security",
    "*.pin",
    "*_key",
    "*.encryption",
    "cards.*",
    "storage.*",
    "export.*",
    "network.*",
    "display.baked",
    "games.folder",
    "tickets.*",
    "service.*_key_alone",
    "tower.*",
)
_LISTS: dict[str, tuple[Value, ...]] = {
    "games.enabled": names(),
    "games.coin_values_cents": (1, 2, 5, 10, 20, 50, 100, 200, 500, 5_000, 10_000),
    "limits.notes_cents": (500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000),
    "coin_acceptor.coins_cents": (1, 2, 5, 10, 20, 50, 100, 200),
}
_DEVICES = ("coin_acceptor", "bill_validator", "hopper")

_INFO = msgspec.inspect.type_info(Config)


def changes(config: Config) -> st.SearchStrategy[dict[str, Value | None]]:
    """Draw values by their keys, None for a table that is left out."""
    fields: Fields = {}
    list(walk(_tables(config), _INFO, "", fields))
    values = {key: drawn for key, value in fields.items() if (drawn := _values(key, value)) is not None}
    whole = st.fixed_dictionaries({}, optional={**values, **dict.fromkeys(_DEVICES, st.none())})
    few = st.sets(st.sampled_from(sorted(values)), min_size=1, max_size=6).flatmap(
        lambda keys: st.fixed_dictionaries({key: values[key] for key in sorted(keys)})
    )
    limits = st.fixed_dictionaries(
        {"games.enabled": values["games.enabled"]},
        optional={key: st.sampled_from((0, 1, 5, 50, 1_000)) for key in fields if key.startswith("games.largest_")},
    )
    return st.one_of(few, limits, whole)


def _values(key: str, value: Any) -> st.SearchStrategy[Value] | None:
    if any(fnmatchcase(key, pattern) for pattern in _KEPT):
        return None
    if key in _LISTS:
        return st.lists(st.sampled_from(_LISTS[key]), max_size=4, unique=True)
    if isinstance(value, bool):
        return st.booleans()
    if isinstance(value, int):
        low, high = bounds(key)
        return st.one_of(st.sampled_from((low, high)), st.integers(low, high))
    choices = next((known for pattern, known in CHOICES.items() if fnmatchcase(key, pattern)), None)
    if key == "games.default":
        choices = names()
    return None if choices is None or not isinstance(value, str) else st.sampled_from(choices)


def accepted(config: Config, drawn: dict[str, Value | None]) -> Config:
    """Return `config` with those of the drawn values, one after the other, with which it has no problem.

    Its own are those of ports in memory, which are no device files.
    """
    tables = _tables(config)
    own = set(problems_in(tables, Config))
    for key, value in drawn.items():
        changed = msgspec.json.decode(msgspec.json.encode(tables))
        _put(changed, key.split("."), value)
        if own.issuperset(problems_in(changed, Config)):
            tables = changed
    return msgspec.convert(tables, Config)


def _tables(config: Config) -> dict[str, Any]:
    """Return a configuration as its TOML would be parsed, without what is not set."""
    return _set(msgspec.json.decode(msgspec.json.encode(config), type=dict[str, Any]))


def _set(table: dict[str, Any]) -> dict[str, Any]:
    return {key: _set(value) if isinstance(value, dict) else value for key, value in table.items() if value is not None}


def _put(tables: dict[str, Any], path: list[str], value: Value | None) -> None:
    for name in path[:-1]:
        if tables.get(name) is None:
            return
        tables = tables[name]
    if value is None:
        tables.pop(path[-1], None)
    else:
        tables[path[-1]] = value
