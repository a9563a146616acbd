"""Assembles the display process from its parts."""

from functools import cache
from pathlib import Path

from ui.allocation import give_pictures_pages_of_their_own
from ui.director import Director
from ui.display import Display
from ui.draw_context import DrawContext
from ui.frame_budget import SHARE_S
from ui.heat import Heat
from ui.kept_language import KeptLanguage
from ui.layout import SHAPES
from ui.link import Link
from ui.scene_manager import SceneManager
from ui.screen import Screen
from ui.sound import Sound
from ui.stage import Stage
from ui.theme import load
from ui.touch import TouchSocket


def put_together(
    *,
    socket: Path,
    touch: Path | None,
    frame_mirror: Path | None,
    baked: Path,
    shape: str,
    scale: float,
    compose: str,
    starts: Path | None,
    kept: KeptLanguage,
) -> Display:
    """Return a display that is ready to run; raises `ArtError`, `FrameMirrorBusyError`, `OSError`."""
    give_pictures_pages_of_their_own()
    layout = SHAPES[shape]
    window = frame_mirror is None
    screen = Screen(scale, frame_mirror, layout=layout, window=window, compose=compose, starts=starts)
    context = DrawContext(baked, scale, layout)
    director = Director(cache(load), language=kept.language)
    return Display(
        screen=screen,
        link=Link(socket),
        touch=TouchSocket(touch) if touch is not None else None,
        context=context,
        director=director,
        scene_manager=SceneManager(Stage(screen.canvas, scale), director, context, share_s=SHARE_S),
        sound=Sound(baked / "sounds"),
        heat=Heat(),
        kept=kept,
    )
