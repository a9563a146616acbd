"""Whether each game on offer can be shown here: its theme in the display, and its baked art.

The display is another process, of which nothing is imported: this only looks whether what it will need is there.
"""

from pathlib import Path

from controller.configuration.cabinet_toml import Config
from controller.configuration.fields import Problem
from games import catalogue


def problems_with_worlds(config: Config) -> tuple[Problem, ...]:
    """Return a problem for each game on offer that the display could not draw."""
    problems = []
    for position, name in enumerate(config.games.enabled):
        key, world = f"games.enabled[{position}]", _world(config, name)
        if not _has_theme(name):
            problems.append(
                Problem(
                    key, f"is {name}, which the display cannot draw (no games/{name}/display/theme.py); take it out"
                )
            )
        elif not _has_art(config, name):
            bake = f"cabinet bake --world {name} --scale {world.name}"
            problems.append(Problem(key, f"is {name}, whose art is not in {world}; run `{bake}`, or take it out"))
    return tuple(problems)


def can_be_shown(config: Config, name: str) -> bool:
    """Whether the display of this cabinet could draw that game."""
    return _has_theme(name) and _has_art(config, name)


def _world(config: Config, name: str) -> Path:
    return Path(config.display.baked, name, config.display.scale.removesuffix("x"))


def _has_theme(name: str) -> bool:
    return name in catalogue.found() and catalogue.has_module(name, "display.theme")


def _has_art(config: Config, name: str) -> bool:
    return (_world(config, name) / "manifest.json").is_file()
