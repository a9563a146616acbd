"""The smallest cabinet.toml, and the problems that `parse` reports."""

import msgspec
import pytest

from controller.configuration.cabinet_toml import Config, ConfigurationError, parse

SMALLEST = """
[pins]
buttons = {}
doors = {}
keys = {attendant = {pin = 12}}
tower = {}
meters = {}
"""


def problems(text: str) -> list[str]:
    """What `parse` finds wrong, `key: text` a line."""
    with pytest.raises(ConfigurationError) as caught:
        parse(text)
    return [f"{problem.key}: {problem.text}" for problem in caught.value.problems]


def narrower(config: Config) -> Config:
    """The same cabinet without the coin value that was played."""
    games = msgspec.structs.replace(config.games, coin_values_cents=(20, 50), default_coin_value_cents=20)
    return msgspec.structs.replace(config, games=games)
