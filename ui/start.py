"""Puts the display process together from its parts."""

from functools import cache
from pathlib import Path

from ui.allocation import give_pictures_pages_of_their_own
from ui.director import Director
from ui.display import Display
from ui.layout import SHAPES
from ui.link import Link
from ui.ration import SHARE_S
from ui.scenes.props import Props
from ui.screen import Screen
from ui.sound import Sound
from ui.stage import Stage
from ui.theatre import Theatre
from ui.touch import TouchSocket
from ui.worlds.look import load


def put_together(
    *, socket: Path, touch: Path | None, glass: Path | None, baked: Path, shape: str, scale: float
) -> Display:
    """Return a display that is ready to run; raises `ArtError`, `GlassBusyError`, `OSError`."""
    give_pictures_pages_of_their_own()
    layout = SHAPES[shape]
    screen = Screen(scale, glass, layout=layout, window=glass is None)
    props = Props(baked, scale, layout)
    director = Director(cache(load))
    return Display(
        screen=screen,
        link=Link(socket),
        touch=TouchSocket(touch) if touch is not None else None,
        props=props,
        director=director,
        theatre=Theatre(Stage(screen.canvas, scale), director, props, share_s=SHARE_S),
        sound=Sound(baked / "sounds"),
    )
