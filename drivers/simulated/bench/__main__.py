"""The cabinet's front in one window: `python -m drivers.simulated.bench --run DIR --baked build/baked`.

Exit codes: 0 the window was closed (or, with --probe, there is a screen); 1 there is no screen, or the
bench's pictures cannot be baked; 2 wrong usage.
"""

import os
import sys
from pathlib import Path

import click

# pygame prints a greeting on standard output when imported, which would mix with the demo's own lines.
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

import pygame

from drivers.simulated.bench.bake import BakeError
from drivers.simulated.bench.options import BAKED
from drivers.simulated.bench.window import Window

_NO_SCREEN = frozenset({"offscreen", "dummy"})


def screen_driver() -> str:
    """Return the name of the SDL video driver that a window would get, "" for none at all."""
    try:
        pygame.display.init()
    except pygame.error:
        return ""
    try:
        return pygame.display.get_driver()
    finally:
        pygame.display.quit()


def has_screen() -> bool:
    """Return whether a window would be visible: a missing or stale DISPLAY silently yields SDL's `offscreen` driver."""
    return screen_driver() not in {"", *_NO_SCREEN}


@click.command()
@click.option(
    "--run",
    type=click.Path(path_type=Path, file_okay=False),
    help="The run directory with hardware.sock, touch.sock and glass.",
)
@BAKED
@click.option("--probe", is_flag=True, help="Only report, by the exit code, whether there is a screen.")
def main(run: Path | None, baked: Path, *, probe: bool) -> None:
    """Show the cabinet's front in a window."""
    if not has_screen():
        if not probe:
            click.echo("bench: there is no screen (DISPLAY or WAYLAND_DISPLAY missing or stale)", err=True)
        sys.exit(1)
    if probe:
        return
    if run is None:
        raise click.UsageError("--run DIR is missing: the directory in which the simulated hardware listens")
    try:
        Window(run, baked).run()
    except BakeError as error:
        click.echo(f"bench: {error}", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
