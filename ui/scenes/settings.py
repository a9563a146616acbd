"""The volumes: wins, game, background and all of them, in steps that are heard at once."""

from collections.abc import Sequence

import pygame

from ui import text
from ui.director import Director
from ui.layout import Box, centre
from ui.lettering import GOLD, PEARL, TITLE, WHITE
from ui.scenes.panel import Key, Panel
from ui.scenes.props import pill, put_centred

SAVE: Box = (348, 640, 280, 72)
CANCEL: Box = (652, 640, 280, 72)
ROW: Box = (140, 152, 1000, 84)
ROW_STEP = 104
LESS, MORE = 486, 996
"""Left edges of a row's buttons."""
LEVELS = 10
FIRST_LEVEL = 578
LEVEL_STEP = 42
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
        return (director.view.volumes,)

    def keys(self, _director: Director) -> Sequence[Key]:
        """Return less and more of each volume, SAVE and CANCEL."""
        steps = [
            Key(f"volume:{name}:{step}", (left, ROW[1] + row * ROW_STEP + 10, 64, 64), f"button_{word}")
            for row, name in enumerate(_NAMES)
            for step, word, left in (("-", "minus", LESS), ("+", "plus", MORE))
        ]
        return [
            *steps,
            Key("settings:save", SAVE, "button_wide", text.say(text.SAVE)),
            Key("settings:cancel", CANCEL, "button_wide_blue", text.say(text.CANCEL)),
        ]

    def paint(self, plate: pygame.Surface, director: Director) -> None:
        """Paint each volume's name, its lamps and its figure."""
        props, letters, view = self.props, self.props.letters, director.view
        panel = props.shared.sprite(self.layout.settings_panel)
        put_centred(plate, panel, props.scale, *centre(self.layout.settings))
        self.put_words(plate, letters.text(text.say(text.VOLUMES), 38, GOLD, TITLE), 640, 106)
        percent = {
            "wins": view.volumes.wins,
            "game": view.volumes.game,
            "background": view.volumes.background,
            "overall": view.volumes.overall,
        }
        for row, (name, words) in enumerate(_NAMES.items()):
            top, middle = ROW[1] + row * ROW_STEP, ROW[1] + row * ROW_STEP + ROW[3] / 2
            box = self.layout.moved((ROW[0], top, ROW[2], ROW[3]))
            ground = pill(box[2:], props.scale)
            if view.focus == f"volume:{name}":
                ground.fill((26, 62, 92, 0), special_flags=pygame.BLEND_RGBA_ADD)
            put_centred(plate, ground, props.scale, *centre(box))
            face = letters.fitted(text.say(words), 27, 220, WHITE)
            self.put_left(plate, face, ROW[0] + 28, middle)
            self.put_right(plate, letters.text(f"{percent[name]} %", 24, PEARL), LESS - 12, middle)
            for level in range(LEVELS):
                lamp = props.shared.sprite("level_lit" if percent[name] * LEVELS > level * FULL else "level")
                put_centred(plate, lamp, props.scale, *self.layout.at(FIRST_LEVEL + level * LEVEL_STEP, middle))
        self.put_words(plate, letters.fitted(text.say(text.VOLUME_HINT), 18, 1000, PEARL), 640, 604)
