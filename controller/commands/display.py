"""`cabinet display FILE`: the display process of a cabinet."""

import os
import sys
from codecs import BOM_UTF8
from pathlib import Path

import click
import msgspec

from common.error_words import error_reason
from controller.configuration.cabinet_toml import Screen, Site
from controller.files.bounded import MOST_TEXT_BYTES, read_bounded
from gamekit.catalogue import look_in


class GamesFolder(msgspec.Struct, frozen=True):
    """The folder of a studio's games, from `[games]`."""

    folder: str = ""


class DisplaySettings(msgspec.Struct, frozen=True):
    """The display settings: a `cabinet.toml`, or the part of it written by `system/display_settings.py`."""

    cabinet: Site = Site()
    display: Screen = Screen()
    games: GamesFolder = GamesFolder()


def read_settings(file: Path) -> DisplaySettings:
    """Return the display's settings in FILE; end the command if it cannot be read."""
    try:
        return msgspec.toml.decode(
            read_bounded(file, MOST_TEXT_BYTES, follow=True).removeprefix(BOM_UTF8), type=DisplaySettings
        )
    except (OSError, msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise click.ClickException(
            f"{file}: {error_reason(error)}; `cabinet check-config` names every problem"
        ) from error


def arguments_of(settings: DisplaySettings) -> list[str]:
    """Return the arguments of the display process."""
    shown = settings.display
    arguments = ["--socket", str(settings.cabinet.display_socket), "--baked", shown.baked]
    arguments += ["--language", settings.cabinet.language]
    return [*arguments, "--shape", shown.shape, "--scale", shown.scale.removesuffix("x"), "--compose", shown.compose]


@click.command()
@click.argument("file", type=click.Path(path_type=Path), default="/etc/cabinet/cabinet.toml")
def display(file: Path) -> None:
    """Run the display of the cabinet in FILE on this machine's screen: a cabinet.toml, or its part for the display."""
    settings = read_settings(file)
    if settings.games.folder:
        look_in(Path(settings.games.folder))  # the process that replaces this one looks there too
    os.execv(sys.executable, [sys.executable, "-m", "ui", *arguments_of(settings)])  # noqa: S606 - no shell wanted
