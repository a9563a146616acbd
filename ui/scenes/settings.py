"""The volumes of wins, game, background and all sounds, in steps that are audible at once."""

from collections.abc import Sequence

import pygame

from ui import text
from ui.director import Director
from ui.draw_context import pill, put_centred
from ui.layout import centre
from ui.lettering import PEARL, WHITE
from ui.page_layout import within
from ui.scenes.panel import Key, Panel

LEVELS = 10
FULL = 100

_NAMES = {
    "wins": text.VOLUME_WINS,
    "game": text.VOLUME_GAME,
    "background": text.VOLUME_BACKGROUND,
    "overall": text.VOLUME_OVERALL,
}


class Settings(Panel):
    """Four volumes, each with its lamps, and SAVE or CANCEL."""

    def shown(self, director: Director) -> tuple[object, ...]:
        """Return the volumes."""
        return (director.view.output.volumes,)

    def keys(self, _director: Director) -> Sequence[Key]:
        """Return the keys to lower and raise each volume, SAVE and CANCEL."""
        pages = self.pages
        steps = [
            Key(f"volume:{name}:{step}", within(pages.volumes.box(row), box), f"button_{word}")
            for row, name in enumerate(_NAMES)
            for step, word, box in (("-", "minus", pages.volume.less), ("+", "plus", pages.volume.more))
        ]
        return [
            *steps,
            Key("settings:save", pages.answers[0], "button_wide", text.say(text.SAVE)),
            Key("settings:cancel", pages.answers[1], "button_wide_blue", text.say(text.CANCEL)),
        ]

    def paint(self, plate: pygame.Surface, director: Director) -> None:
        """Paint each volume's name, its lamps and its figure."""
        self.put_panel(plate, text.VOLUMES)
        chosen = director.view.output.volumes
        percent = {
            "wins": chosen.wins,
            "game": chosen.game,
            "background": chosen.background,
            "overall": chosen.overall,
        }
        for row, name in enumerate(_NAMES):
            self._volume(plate, row, name, percent[name], focus=director.view.focus == f"volume:{name}")
        self.put_hint(plate, text.say(text.VOLUME_HINT))

    def _volume(self, plate: pygame.Surface, row: int, name: str, percent: int, *, focus: bool) -> None:
        """Paint one volume's row, without its keys."""
        context, letters, pages, parts = self.context, self.letters, self.pages, self.pages.volume
        box = pages.volumes.box(row)
        ground = pill(box[2:], context.scale)
        if focus:
            ground.fill((26, 62, 92, 0), special_flags=pygame.BLEND_RGBA_ADD)
        put_centred(plate, ground, context.scale, *centre(pages.placed(box)))
        face = letters.fitted(text.say(_NAMES[name]), 27, parts.room, WHITE)
        self.put_left(plate, face, box[0] + parts.name[0], box[1] + parts.name[1])
        figure = letters.text(f"{percent} %", 24, PEARL)
        self.put_right(plate, figure, box[0] + parts.figure[0], box[1] + parts.figure[1])
        for level in range(LEVELS):
            lamp = self.sprites.sprite("level_lit" if percent * LEVELS > level * FULL else "level")
            self.put_words(plate, lamp, box[0] + parts.lamp[0] + level * parts.lamp_step, box[1] + parts.lamp[1])
