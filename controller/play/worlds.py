"""Whether each game on offer can be shown here: the display has its theme and its baked art.

The display is another process, from which nothing is imported: this only checks that the needed files exist.
"""

from pathlib import Path

from controller.configuration.cabinet_toml import Config
from controller.configuration.fields import Problem
from controller.machine.machine import Machine
from controller.play.checking import faults_of_display
from drivers.clock import Clock
from gamekit import catalogue
from gamekit.checking import faults

LOOK_S = 1.0
"""The interval in seconds at which baked games are looked for."""


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


def problems_with_games(config: Config, *, draw: bool) -> tuple[Problem, ...]:
    """Return a problem for everything a game on offer lacks, and for each folder that is not a valid game.

    With `draw` the display's screens are drawn in a separate process.
    """
    problems = list(problems_with_worlds(config))
    lacking = {problem.key for problem in problems}
    shown = config.display
    for position, name in enumerate(config.games.enabled):
        key = f"games.enabled[{position}]"
        if key in lacking:
            continue
        found = faults(name)
        if draw and not found:
            found = faults_of_display(
                name,
                Path(shown.baked),
                shapes=[shown.shape],
                scales=[shown.scale],
                languages=[config.cabinet.language],
            )
        problems += [Problem(key, f"is {name}, which does not pass: {fault}") for fault in found]
    problems += [Problem("games.folder", f"{one.place}: {one.reason}") for one in catalogue.refused()]
    return tuple(problems)


def can_be_shown(config: Config, name: str) -> bool:
    """Whether the display of this cabinet can draw the game."""
    return _has_theme(name) and _has_art(config, name)


def _world(config: Config, name: str) -> Path:
    return Path(config.display.baked, name, config.display.scale.removesuffix("x"))


def _has_theme(name: str) -> bool:
    return name in catalogue.found() and catalogue.has_module(name, "display.theme")


def _has_art(config: Config, name: str) -> bool:
    return (_world(config, name) / "manifest.json").is_file()


def is_whole(config: Config, name: str) -> bool:
    """Whether a game's pictures and sounds are all baked; their manifests are written last."""
    sounds = Path(config.display.baked, "sounds", name, "manifest.json")
    return can_be_shown(config, name) and (sounds.is_file() or not catalogue.has_module(name, "display.music"))


async def admit_baked(machine: Machine, clock: Clock) -> None:
    """Offer each awaited game once its world is complete."""
    settings = machine.settings
    while settings.awaited:
        await clock.sleep(LOOK_S)
        for name in sorted(settings.awaited):
            if is_whole(settings.file_config, name):
                machine.admit(name)
