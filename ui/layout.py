"""Positions on the canvas for each shape of monitor; a box is left, top, width, height in canvas units.

One description serves all shapes. The stage (a game's reels with their frame and everything shown over them) is
1280x600 units everywhere, and `origin` is the position of its corner. Only the HUD (bet, balance, win and the buttons)
has separate positions in each shape.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from ui import page_layout
from ui.lobby_layout import PORTRAIT_LOBBY, TALL_LOBBY, WIDE_LOBBY, LobbyLayout
from ui.page_layout import PORTRAIT_PAGES, TALL_PAGES, WIDE_PAGES, PageLayout

Box = page_layout.Box
Point = page_layout.Point

REEL_WIDTH = 160
WINDOW_HEIGHT = 450
"""Height of the reel window; its rows share it in whole units (four rows of 112 leave two units free)."""
WIN_MARGIN = 12
"""How far a winning symbol's animation extends over its cell on every side, if the reels have their baked size."""
DIALOG: Box = (280, 130, 720, 440)
"""The panel of overlays on a wide monitor."""


@dataclass(frozen=True)
class Hud:
    """The panel of meters and buttons, and the message line over it."""

    box: Box
    panel: str
    """Its sprite."""
    credit: Box
    bet: Box
    win: Box
    label_y: float
    """The middle of the words CREDIT, BET, WIN."""
    meter_zoom: float
    buttons: Mapping[str, Box]
    """The place of each button by its name."""
    button_zoom: float
    button_words: tuple[float, float]
    """The heights of figure and word on a button, from its middle."""
    message: Box
    message_zoom: float


@dataclass(frozen=True)
class Signs:
    """What hangs over the reels: the game's name, a feature's headline, ribbons and the pay glass."""

    pay_glass: Box | None
    """The place of the highest pays, if there is room."""
    ribbon_rise: float
    """How far a ribbon lies above its place on the stage; below it if negative."""
    ribbon_zoom: float
    logo_zoom: float
    headline_stretch: float
    """How many times as wide as its letters are large a feature's headline is."""


@dataclass(frozen=True)
class Attract:
    """Heights on the attract screen."""

    logo_y: float
    symbols_y: float
    call_y: float
    """The call for money."""
    jackpot_y: float


@dataclass(frozen=True)
class Book:
    """The panel of paytable and rules, and the keys around it."""

    box: Box
    panel: str
    """Its sprite."""
    title_drop: float
    """How far the title is below the upper edge."""
    number: Point
    """The middle of the page's number."""
    foot_room: int
    """The width of the foot."""
    foot_rise: float
    """How far the foot is above the lower edge."""
    arrows: tuple[Box, Box]
    """The arrows that turn it back and on."""
    way_back: Box
    """The key that leads to the game."""
    choices: tuple[Box, Box]
    """The keys of a game's own choices."""
    zoom: float
    columns: int
    """The number of symbols beside each other on the paytable."""
    pays_zoom: float
    """How many times as large as the other words the figures are that symbols pay."""
    line_zooms: tuple[float, ...]
    """The sizes of drawn lines, tried in order until they fit on one page."""


@dataclass(frozen=True)
class Dialogs:
    """The panel of overlays."""

    zoom: float
    top: float
    """Its upper edge."""
    call: Box
    """The key under it."""


@dataclass(frozen=True)
class Layout:
    """One shape of monitor; each zoom says how many times as large as in a wide monitor something is."""

    shape: str
    """Its name in the configuration."""
    canvas: tuple[int, int]
    """Width and height in canvas units."""
    origin: Point
    """The stage's corner; scenes place what they show by `at`, `moved` or `centre`."""
    reels_origin: Point
    """The stage's corner in the reels' size; what lies on the reels is placed by `on_reels`."""
    reels_zoom: float
    hud: Hud
    signs: Signs
    attract: Attract
    book: Book
    pages: PageLayout
    """The pages of settings and questions."""
    dialogs: Dialogs
    lobby: LobbyLayout
    """The choice of games."""
    least_text: int
    """The smallest size of letters that a player can read."""
    feature_zoom: float
    """The size of features' scenes."""

    @property
    def centre(self) -> Point:
        """The middle of the canvas, which is the middle of every dialog."""
        return self.canvas[0] / 2, self.canvas[1] / 2

    @cached_property
    def reels(self) -> Box:
        """The opening of the frame: 800x450 units, or larger in portrait, whose reels are as wide as the monitor."""
        left, top = (round(side) for side in self.on_reels(240, 105))
        return (left, top, 5 * round(REEL_WIDTH * self.reels_zoom), round(WINDOW_HEIGHT * self.reels_zoom))

    @property
    def frame(self) -> Point:
        """The upper left corner of the reels' frame; if wider than the monitor, only the visible part is baked."""
        return max(0.0, self.reels_origin[0]), self.reels_origin[1]

    @property
    def win_margin(self) -> int:
        """How far a winning symbol's animation extends over its cell on every side."""
        return round(WIN_MARGIN * self.reels_zoom)

    @property
    def scene(self) -> Box:
        """The area of feature scenes: 1080x600 units in every shape, above the HUD."""
        return self.moved((100, 0, 1080, 600))

    @property
    def logo(self) -> Box:
        """The game's name; its lower edge overlaps the frame's upper edge."""
        width, height = 560 * self.signs.logo_zoom, 110 * self.signs.logo_zoom
        return (self.centre[0] - width / 2, self.on_reels(0, 110)[1] - height, width, height)

    @property
    def headline(self) -> Box:
        """The free-spin counter, at the logo's position in the base game; like the logo, it grows upwards."""
        width, height = 580 * self.signs.logo_zoom * self.signs.headline_stretch, 94 * self.signs.logo_zoom
        return (self.centre[0] - width / 2, self.on_reels(0, 98)[1] - height, width, height)

    @property
    def dialog(self) -> Box:
        """The panel of overlays."""
        width, height = DIALOG[2] * self.dialogs.zoom, DIALOG[3] * self.dialogs.zoom
        return (self.centre[0] - width / 2, self.dialogs.top, width, height)

    @property
    def whole(self) -> Box:
        """The whole canvas."""
        return (0, 0, *self.canvas)

    def at(self, x: float, y: float) -> Point:
        """Return the position of a point of the stage on the canvas."""
        return self.origin[0] + x, self.origin[1] + y

    def on_reels(self, x: float, y: float) -> Point:
        """Return the position of a point of the stage on the reels, which may be larger than the stage's."""
        return self.reels_origin[0] + x * self.reels_zoom, self.reels_origin[1] + y * self.reels_zoom

    def moved(self, box: Box) -> Box:
        """Return the position of a box of the stage on the canvas."""
        return (self.origin[0] + box[0], self.origin[1] + box[1], box[2], box[3])

    def either(self, staged: Point, portrait: Point) -> Point:
        """Return the position of something in a feature's scene: a point of the stage, or of the canvas in portrait."""
        return portrait if self.shape == "portrait" else self.at(*staged)

    def either_box(self, staged: Box, portrait: Box) -> Box:
        """Return a box of a feature's scene, as `either` does."""
        return portrait if self.shape == "portrait" else self.moved(staged)

    def in_dialog(self, box: Box) -> Box:
        """Return the position of a box of the wide monitor's dialog on the canvas, scaled with the dialog."""
        left, top, _, _ = self.dialog
        zoom = self.dialogs.zoom
        return (left + (box[0] - DIALOG[0]) * zoom, top + (box[1] - DIALOG[1]) * zoom, box[2] * zoom, box[3] * zoom)

    def ribbon(self, box: Box) -> Box:
        """Return a ribbon's position: higher than in a wide monitor, or lower if `ribbon_rise` is negative."""
        left, top, width, height = self.moved(box)
        zoom = self.signs.ribbon_zoom
        return (left - width * (zoom - 1) / 2, top - self.signs.ribbon_rise, width * zoom, height * zoom)

    def cell(self, rows: int) -> tuple[int, int]:
        """Return the width and height of a symbol's cell in a game with this many rows."""
        return round(REEL_WIDTH * self.reels_zoom), round(WINDOW_HEIGHT * self.reels_zoom) // rows

    def window(self, rows: int) -> Box:
        """Return the box filled by the cells of a game with this many rows, in the middle of `reels`."""
        left, top, width, height = self.reels
        filled = rows * self.cell(rows)[1]
        return (left, top + (height - filled) // 2, width, filled)

    def cell_box(self, reel: int, row: int, rows: int) -> Box:
        """Return the box of a cell; reel and row count from 0."""
        left, top, _, _ = self.window(rows)
        width, height = self.cell(rows)
        return (left + reel * width, top + row * height, width, height)


WIDE = Layout(
    shape="wide",
    canvas=(1280, 720),
    origin=(0, 0),
    reels_origin=(0, 0),
    reels_zoom=1,
    hud=Hud(
        box=(0, 600, 1280, 120),
        panel="hud_panel",
        credit=(16, 628, 216, 84),
        bet=(240, 628, 216, 84),
        win=(464, 624, 300, 92),
        label_y=617,
        meter_zoom=1,
        buttons={
            "coin_value": (772, 630, 120, 76),
            "lines": (894, 630, 120, 76),
            "bet": (1016, 630, 120, 76),
            "spin": (1142, 584, 132, 132),
            "max_bet": (1148, 300, 120, 76),
            "auto": (1148, 388, 120, 76),
            "collect": (1148, 476, 120, 76),
            "home": (40, 238, 64, 64),
            "info": (40, 318, 64, 64),
            "sound": (40, 398, 64, 64),
            "service": (40, 478, 64, 64),
        },
        button_zoom=1,
        button_words=(-8, 19),
        message=(290, 560, 700, 37),
        message_zoom=1,
    ),
    signs=Signs(
        pay_glass=None,
        ribbon_rise=0,
        ribbon_zoom=1,
        logo_zoom=1,
        headline_stretch=1,
    ),
    attract=Attract(logo_y=388, symbols_y=556, call_y=660, jackpot_y=462),
    book=Book(
        box=(80, 60, 1120, 600),
        panel="panel_page",
        title_drop=46,
        number=(1130, 616),
        foot_room=820,
        foot_rise=44,
        arrows=((94, 326, 64, 64), (1122, 326, 64, 64)),
        way_back=(500, 640, 280, 72),
        choices=((200, 640, 280, 72), (800, 640, 280, 72)),
        zoom=1,
        columns=4,
        pays_zoom=1,
        line_zooms=(1.5, 1.0, 0.8, 0.62),
    ),
    pages=WIDE_PAGES,
    dialogs=Dialogs(zoom=1, top=130, call=(500, 578, 280, 72)),
    lobby=WIDE_LOBBY,
    least_text=0,
    feature_zoom=1,
)

TALL = Layout(
    shape="tall",
    canvas=(1280, 1024),
    origin=(0, 170),
    reels_origin=(0, 170),
    reels_zoom=1,
    hud=Hud(
        box=(0, 780, 1280, 244),
        panel="hud_panel_tall",
        credit=(18, 885, 324, 126),
        bet=(342, 885, 324, 126),
        win=(672, 881, 450, 138),
        label_y=885,
        meter_zoom=1.5,
        buttons={
            "home": (18, 798, 64, 64),
            "info": (94, 798, 64, 64),
            "sound": (170, 798, 64, 64),
            "service": (246, 798, 64, 64),
            "coin_value": (334, 792, 120, 76),
            "lines": (464, 792, 120, 76),
            "bet": (594, 792, 120, 76),
            "max_bet": (724, 792, 120, 76),
            "auto": (854, 792, 120, 76),
            "collect": (984, 792, 120, 76),
            "spin": (1136, 836, 132, 132),
        },
        button_zoom=1,
        button_words=(-8, 19),
        message=(290, 732, 700, 37),
        message_zoom=1,
    ),
    signs=Signs(
        pay_glass=(20, 6, 1240, 160),
        ribbon_rise=0,
        ribbon_zoom=1,
        logo_zoom=1,
        headline_stretch=1,
    ),
    attract=Attract(logo_y=570, symbols_y=780, call_y=930, jackpot_y=660),
    book=Book(
        box=(40, 36, 1200, 880),
        panel="panel_page_tall",
        title_drop=46,
        number=(1170, 872),
        foot_room=900,
        foot_rise=44,
        arrows=((60, 936, 64, 64), (1156, 936, 64, 64)),
        way_back=(500, 932, 280, 72),
        choices=((200, 932, 280, 72), (800, 932, 280, 72)),
        zoom=1,
        columns=4,
        pays_zoom=1.2,
        line_zooms=(1.5, 1.0, 0.8, 0.62),
    ),
    pages=TALL_PAGES,
    dialogs=Dialogs(zoom=1, top=282, call=(500, 730, 280, 72)),
    lobby=TALL_LOBBY,
    least_text=0,
    feature_zoom=1,
)

PORTRAIT = Layout(
    shape="portrait",
    canvas=(1080, 1920),
    origin=(-100, 600),
    reels_origin=(-292, 484.5),
    reels_zoom=1.3,
    hud=Hud(
        box=(0, 1420, 1080, 500),
        panel="hud_panel_portrait",
        credit=(4, 1456, 310, 126),
        bet=(766, 1456, 310, 126),
        win=(315, 1452, 450, 138),
        label_y=1452,
        meter_zoom=1.5,
        buttons={
            "coin_value": (24, 1622, 180, 114),
            "lines": (220, 1622, 180, 114),
            "bet": (680, 1622, 180, 114),
            "max_bet": (876, 1622, 180, 114),
            "spin": (441, 1660, 198, 198),
            "collect": (24, 1770, 180, 114),
            "auto": (876, 1770, 180, 114),
            "home": (214, 1779, 96, 96),
            "info": (318, 1779, 96, 96),
            "sound": (666, 1779, 96, 96),
            "service": (770, 1779, 96, 96),
        },
        button_zoom=1.5,
        button_words=(-12, 14),
        message=(30, 1216, 1020, 84),
        message_zoom=1.5,
    ),
    signs=Signs(
        pay_glass=(20, 16, 1040, 200),
        ribbon_rise=-708,
        ribbon_zoom=1.5,
        logo_zoom=1.5,
        headline_stretch=1.19,
    ),
    attract=Attract(logo_y=1100, symbols_y=1370, call_y=1560, jackpot_y=1236),
    book=Book(
        box=(10, 20, 1060, 1590),
        panel="panel_page_portrait",
        title_drop=60,
        number=(110, 82),
        foot_room=990,
        foot_rise=76,
        arrows=((40, 1766, 96, 96), (944, 1766, 96, 96)),
        way_back=(330, 1760, 420, 108),
        choices=((90, 1626, 420, 108), (570, 1626, 420, 108)),
        zoom=1.5,
        columns=2,
        pays_zoom=1.25,
        line_zooms=(1.5, 1.3, 1.0, 0.8, 0.62),
    ),
    pages=PORTRAIT_PAGES,
    dialogs=Dialogs(zoom=1.5, top=560, call=(330, 1292, 420, 108)),
    lobby=PORTRAIT_LOBBY,
    least_text=28,
    feature_zoom=1.5,
)

SHAPES = {layout.shape: layout for layout in (WIDE, TALL, PORTRAIT)}
"""All shapes by the name used in the configuration."""


def on_portrait(x: float, y: float) -> Point:
    """Return the point of the stage at (x, y) of a portrait canvas."""
    return x - PORTRAIT.origin[0], y - PORTRAIT.origin[1]


def inside(box: Box, x: float, y: float, slack: float = 6) -> bool:
    """Whether a touch at (x, y) means `box`; fingers are imprecise, so `slack` units around it count."""
    left, top, width, height = box
    return left - slack <= x < left + width + slack and top - slack <= y < top + height + slack


def centre(box: Box) -> Point:
    """Return the middle of `box`."""
    return box[0] + box[2] / 2, box[1] + box[3] / 2
