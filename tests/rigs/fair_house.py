"""Cabinets whose house holds play back (docs/fair-play.md)."""

from pathlib import Path
from typing import Any

import msgspec

from controller.configuration.cabinet_toml import Config
from controller.features.care.presets import JURISDICTIONS
from tests.rigs.virtual_cabinet import only


def house(folder: Path, *names: str, games: dict[str, Any] | None = None, **player: Any) -> Config:
    """Return the sample cabinet with these games (Neptune alone by default), and keys of `[games]` and `[player]`."""
    config = only(folder, *(names or ("neptune",)))
    return msgspec.structs.replace(
        config,
        games=msgspec.structs.replace(config.games, **(games or {})),
        player=msgspec.structs.replace(config.player, **player),
    )


def jurisdiction(folder: Path, code: str, *names: str) -> Config:
    """Return the sample cabinet with these games, by the rules of a jurisdiction."""
    values = next(preset.values for preset in JURISDICTIONS if preset.jurisdiction == code)
    tables: dict[str, dict[str, Any]] = {"games": {}, "player": {}}
    for key, value in values.items():
        table, _, name = key.partition(".")
        tables[table][name] = value
    return house(folder, *names, games=tables["games"], **tables["player"])
