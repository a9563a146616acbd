"""Positions on the pages beside the reels: menu, volumes, history, autospin, number pad, questions.

Boxes and points are canvas units from the pages' `origin`, letters and pictures `zoom` times as large as in a wide
monitor. A wide monitor's pages take the whole canvas, a 4:3 monitor's lie in its middle, and a portrait monitor's are
above the HUD, whose balance stays in sight and whose buttons stay at hand.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

Box = tuple[float, float, float, float]
Point = tuple[float, float]


class Grid(NamedTuple):
    """Boxes of one size in columns of `rows`, filled from top to bottom."""

    first: Box
    step: Point
    rows: int
    columns: int = 1

    def box(self, place: int) -> Box:
        """Return the box of `place`, from 0."""
        left, top, width, height = self.first
        return (left + place // self.rows * self.step[0], top + place % self.rows * self.step[1], width, height)

    @property
    def places(self) -> int:
        """The number of boxes."""
        return self.rows * self.columns


def within(row: Box, part: Box) -> Box:
    """Return the position of a part of a row, given relative to the row's upper left corner."""
    return (row[0] + part[0], row[1] + part[1], part[2], part[3])


@dataclass(frozen=True)
class PageLayout:
    """The pages of one shape of monitor.

    `hud` is whether the HUD is under them. `panel` is the sprite of the panel in `box`, `heading` the middle of
    its title, and `crest` the height of the game's name over it (0: it is not shown), for which the history, with its
    own heading, has no room. `hint` is the middle of the line that explains the buttons, `room` its width in letters'
    units. `answers` are the keys that end a page, the one that does it first; `close` is one by itself. The
    words of a menu's key begin `menu_inset` after its left edge, and its icon's middle is `menu_icon` from its corner.
    `pad_key` is the sprite of a number pad's key. On the pages of a session the rows of `care` hold its figures, under
    `care_words`; one of them has the keys `care_step` at its ends, which take `care_inset` each. `care_keys` are the
    places of one, two or three keys.
    """

    origin: Point
    zoom: float
    hud: bool
    panel: str
    box: Box
    crest: float
    heading: Point
    history_heading: Point
    title: int
    hint: Point
    room: int
    close: Box
    answers: tuple[Box, Box]
    menu: Grid
    menu_key: str
    menu_size: int
    menu_icon: Point
    menu_inset: float
    last_round: Point
    history: Grid
    volumes: Grid
    volume: "VolumeRow"
    autospin: Grid
    auto: "AutospinRow"
    pad: Grid
    pad_key: str
    pad_size: int
    pad_typed: Box
    question: "QuestionLayout"
    care: Grid
    care_step: tuple[Box, Box]
    care_inset: float
    care_words: Point
    care_keys: tuple[tuple[Box, ...], ...]

    def at(self, x: float, y: float) -> Point:
        """Return the position of a point of the pages on the canvas."""
        return self.origin[0] + x, self.origin[1] + y

    def placed(self, box: Box) -> Box:
        """Return the position of a box of the pages on the canvas."""
        return within((*self.origin, 0, 0), box)


@dataclass(frozen=True)
class VolumeRow:
    """A volume's row, relative to its upper left corner: where name and figure begin and end, keys, lamps."""

    name: Point
    room: int
    figure: Point
    less: Box
    more: Box
    lamp: Point
    lamp_step: float


@dataclass(frozen=True)
class AutospinRow:
    """A setting's row, relative to its upper left corner: the start of its name, its keys, whether it is `plated`."""

    name: Point
    room: int
    switch: Box
    less: Box
    figure: Box
    more: Box
    plated: bool


@dataclass(frozen=True)
class QuestionLayout:
    """A question before a stake: its panel, title, picture, amounts, words and its two answers.

    `heading` and `size` are the sizes of its letters. `amounts` are the left and right edge of the lines that compare
    two amounts, and their heights.
    """

    panel: str
    box: Box
    crest: float
    heading: int
    title: Point
    picture: Point
    amounts: tuple[float, float, float, float]
    size: int
    words: Point
    price: Point
    product: Point
    buy_picture: Point
    buy_title: Point
    buy_words: Point
    returns: Point
    hint: Point
    buy_hint: Point
    no: Box
    yes: Box


WIDE_PAGES = PageLayout(
    origin=(0, 0),
    zoom=1,
    hud=False,
    panel="panel_page",
    box=(80, 60, 1120, 600),
    crest=0,
    heading=(640, 106),
    history_heading=(640, 104),
    title=38,
    hint=(640, 604),
    room=1000,
    close=(500, 640, 280, 72),
    answers=((348, 640, 280, 72), (652, 640, 280, 72)),
    menu=Grid((340, 166, 280, 72), (404, 92), 4, 2),
    menu_key="button_wide_blue",
    menu_size=23,
    menu_icon=(-42, 34),
    menu_inset=0,
    last_round=(640, 564),
    history=Grid((144, 142, 490, 66), (502, 72), 6, 2),
    volumes=Grid((140, 152, 1000, 84), (0, 104), 4),
    volume=VolumeRow(
        name=(28, 42),
        room=220,
        figure=(334, 42),
        less=(346, 10, 64, 64),
        more=(856, 10, 64, 64),
        lamp=(438, 42),
        lamp_step=42,
    ),
    autospin=Grid((140, 148, 1000, 72), (0, 83), 5),
    auto=AutospinRow(
        name=(24, 36),
        room=440,
        switch=(480, 6, 112, 60),
        less=(612, 6, 64, 60),
        figure=(692, 6, 204, 60),
        more=(912, 6, 64, 60),
        plated=False,
    ),
    pad=Grid((405, 262, 150, 68), (160, 78), 4, 3),
    pad_key="button_key",
    pad_size=30,
    pad_typed=(405, 172, 470, 76),
    question=QuestionLayout(
        panel="panel_dialog",
        box=(280, 130, 720, 440),
        crest=0,
        heading=40,
        title=(640, 188),
        picture=(400, 290),
        amounts=(490, 920, 262, 316),
        size=22,
        words=(640, 394),
        price=(690, 246),
        product=(690, 302),
        buy_picture=(412, 268),
        buy_title=(640, 180),
        buy_words=(640, 378),
        returns=(640, 428),
        hint=(640, 527),
        buy_hint=(640, 527),
        no=(340, 444, 280, 72),
        yes=(660, 444, 280, 72),
    ),
    care=Grid((290, 232, 700, 58), (0, 66), 5),
    care_step=((8, -3, 64, 64), (628, -3, 64, 64)),
    care_inset=72,
    care_words=(640, 184),
    care_keys=(
        ((500, 640, 280, 72),),
        ((348, 640, 280, 72), (652, 640, 280, 72)),
        ((196, 640, 280, 72), (500, 640, 280, 72), (804, 640, 280, 72)),
    ),
)


TALL_PAGES = replace(WIDE_PAGES, origin=(0, 152))

PORTRAIT_PAGES = PageLayout(
    origin=(0, 0),
    zoom=1.5,
    hud=True,
    panel="panel_page_high",
    box=(10, 16, 1060, 1390),
    crest=140,
    heading=(540, 296),
    history_heading=(540, 74),
    title=44,
    hint=(540, 1228),
    room=640,
    close=(330, 1266, 420, 108),
    answers=((90, 1266, 420, 108), (570, 1266, 420, 108)),
    menu=Grid((58, 350, 470, 190), (494, 197), 4, 2),
    menu_key="button_tile",
    menu_size=26,
    menu_icon=(86, 91),
    menu_inset=124,
    last_round=(540, 1160),
    history=Grid((56, 112, 968, 90), (0, 90), 12),
    volumes=Grid((60, 356, 960, 196), (0, 206), 4),
    volume=VolumeRow(
        name=(36, 52),
        room=420,
        figure=(924, 52),
        less=(24, 90, 96, 96),
        more=(840, 90, 96, 96),
        lamp=(180, 138),
        lamp_step=67,
    ),
    autospin=Grid((60, 344, 960, 162), (0, 168), 5),
    auto=AutospinRow(
        name=(32, 38),
        room=590,
        switch=(32, 64, 190, 90),
        less=(428, 60, 96, 96),
        figure=(536, 64, 284, 90),
        more=(832, 60, 96, 96),
        plated=True,
    ),
    pad=Grid((90, 516, 290, 158), (305, 174), 4, 3),
    pad_key="button_key_high",
    pad_size=44,
    pad_typed=(90, 366, 900, 128),
    question=QuestionLayout(
        panel="panel_question_high",
        box=(10, 500, 1060, 900),
        crest=330,
        heading=52,
        title=(540, 600),
        picture=(200, 774),
        amounts=(330, 980, 722, 832),
        size=28,
        words=(540, 1010),
        price=(650, 744),
        product=(650, 838),
        buy_picture=(216, 786),
        buy_title=(540, 600),
        buy_words=(540, 996),
        returns=(540, 1130),
        hint=(540, 1342),
        buy_hint=(540, 1342),
        no=(90, 1196, 420, 108),
        yes=(570, 1196, 420, 108),
    ),
    care=Grid((60, 500, 960, 104), (0, 116), 5),
    care_step=((16, 4, 96, 96), (848, 4, 96, 96)),
    care_inset=112,
    care_words=(540, 420),
    care_keys=(
        ((330, 1266, 420, 108),),
        ((90, 1266, 420, 108), (570, 1266, 420, 108)),
        ((90, 1266, 420, 108), (570, 1266, 420, 108), (330, 1096, 420, 108)),
    ),
)
