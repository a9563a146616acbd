"""Whether each game on offer can be shown here: its look in the display, and its baked art.

The display is another process, of which nothing is imported: this only looks whether what it will need is there.
"""

from importlib.util import find_spec
from pathlib import Path

from controller.configuration import Cabinet
from controller.configuration_leaves import Problem


def problems_with_worlds(cabinet: Cabinet) -> tuple[Problem, ...]:
    """Return a problem for each game on offer that the display could not draw."""
    display = cabinet.display
    scale = display.scale.removesuffix("x")
    problems = []
    for position, name in enumerate(cabinet.games.enabled):
        key, world = f"games.enabled[{position}]", Path(display.baked, name, scale)
        if find_spec(f"ui.worlds.{name}") is None:
            problems.append(
                Problem(key, f"is {name}, which the display cannot draw (no ui/worlds/{name}.py); take it out")
            )
        elif not (world / "manifest.json").is_file():
            bake = f"cabinet bake --world {name} --scale {scale}"
            problems.append(Problem(key, f"is {name}, whose art is not in {world}; run `{bake}`, or take it out"))
    return tuple(problems)
