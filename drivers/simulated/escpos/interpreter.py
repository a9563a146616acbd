"""Execute ESC/POS commands: change settings, create print jobs and send answers.

Only standard mode is simulated. A command without visible effect, or one that is not carried out, is recorded in
`ignored` with the reason.
"""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from PIL import Image

from drivers.simulated.escpos import status, symbols
from drivers.simulated.escpos.build import Build
from drivers.simulated.escpos.character_tables import CODE_PAGES, INTERNATIONAL_SETS, characters
from drivers.simulated.escpos.command_set import (
    CONTROL,
    CUTS_WITH_FEED,
    DOTS_8,
    DOTS_24,
    NUL,
    TEXT,
    UNKNOWN,
    Command,
    word,
)
from drivers.simulated.escpos.glyphs import Style, drawn
from drivers.simulated.escpos.graphics import Graphics, column_image, raster_image
from drivers.simulated.escpos.mechanism import Cut
from drivers.simulated.escpos.paper import Mark, Strip, blank
from drivers.simulated.escpos.print_line import CENTRE, LEFT, RIGHT, PrintLine, block

LINE_SPACING: Final = 30
"""ESC 2: a sixth of an inch on a head of 180 dots an inch, 3.75 mm on one of 203."""
REMEMBERED: Final = 1000

Job = Strip | Cut

_ALIGNMENTS: Final = {0: LEFT, 48: LEFT, 1: CENTRE, 49: CENTRE, 2: RIGHT, 50: RIGHT}
_FONTS: Final = {0: "A", 48: "A", 1: "B", 49: "B"}
_CUTS: Final = {0: "full", 48: "full", 1: "partial", 49: "partial"}
_FEED_AND_CUT: Final = {65: "full", 66: "partial", 103: "full", 104: "partial"}
_CUT_LATER: Final = {97: "full", 98: "partial"}
_WITHOUT_EFFECT: Final = frozenset(
    ("CR", "ESC U", "ESC c", "ESC <", "ESC r", "GS b", "GS |", "GS I", "DLE EOT", "DLE ENQ", "DLE DC4", CONTROL)
)
"""Commands without visible effect, or handled elsewhere."""


class Ignored(NamedTuple):
    """A command that was not carried out, and why."""

    data: bytes
    why: str


class Interpreter:
    """Turns commands into jobs for the mechanism; `say` sends an answer.

    `execute` returns the jobs of one command, in order. Answers keep the order of the data because no command is
    executed before the jobs of the previous one are done.
    """

    def __init__(self, build: Build, *, say: Callable[[bytes], None], now: Callable[[], status.Conditions]) -> None:
        self._build = build
        self._say = say
        self._now = now
        self.ignored: deque[Ignored] = deque(maxlen=REMEMBERED)
        self.drawer_pulses = 0
        self._rest = b""
        self._meanings: dict[str, Callable[[bytes], Sequence[Job] | str | None]] = self._table()
        self.initialise()

    def initialise(self) -> None:
        """Carry out ESC @: clear the begun line and all settings."""
        self.line = PrintLine()
        self.style = Style()
        self.selected = True
        self.buttons = True
        self.automatic = 0
        self.left = 0
        self.area = self._build.width
        self.align = LEFT
        self.upside_down = False
        self.line_spacing = LINE_SPACING
        self.code_page = self.international = 0
        self._tabs = tuple(range(8, 256, 8))
        self._bar_height, self._bar_width, self._hri, self._hri_font = 162, 3, 0, "A"
        self._qr = symbols.QrSettings()
        self._graphics = Graphics()
        self._later: tuple[str, int] | None = None

    def forget_line(self) -> None:
        """Clear the begun line; settings stay."""
        self.line = PrintLine()

    def take_rest(self) -> bytes:
        """Return the rest of the last command, which ended early: these bytes are ordinary data."""
        rest, self._rest = self._rest, b""
        return rest

    def execute(self, command: Command) -> Sequence[Job]:
        """Execute one command and return its print jobs."""
        if not self.selected and command.name != "ESC =":
            return ()
        meaning = self._meanings.get(command.name)
        if meaning is None:
            if command.name not in _WITHOUT_EFFECT:
                why = "unknown" if command.name == UNKNOWN else "not simulated"
                self.ignored.append(Ignored(command.data[:64], why))
            return ()
        done = meaning(command.parameters)
        if isinstance(done, str):
            self.ignored.append(Ignored(command.data[:64], done))
            return ()
        return self._cut_later(done or ())

    # Lines of text.

    def _text(self, data: bytes) -> Sequence[Job]:
        jobs: list[Job] = []
        for character in characters(data, code_page=self.code_page, international=self.international):
            if self.line.place + self.style.cell_width > self.area and not self.line.empty:
                jobs.append(self._end_line(self.line_spacing))
            self.line.character(character, self.style)
        return jobs

    def _end_line(self, feed: int) -> Strip:
        line, self.line = self.line, PrintLine()
        return line.strip(
            feed=feed,
            paper=self._build.width,
            left=self.left,
            area=self.area,
            align=self.align,
            upside_down=self.upside_down,
        )

    def _feed(self, dots: int) -> Sequence[Job]:
        if self.line.empty:
            return (blank(dots, self._build.width),) if dots else ()
        return (self._end_line(dots),)

    def _tab(self, _data: bytes) -> None:
        stops = (column * self.style.cell_width for column in self._tabs)
        self.line.move(next((stop for stop in stops if stop > self.line.place), self.line.place))

    def _set_tabs(self, data: bytes) -> None:
        self._tabs = tuple(data.rstrip(bytes((NUL,))))

    def _move_to(self, data: bytes) -> None:
        self.line.move(min(word(data), self.area))

    def _move_by(self, data: bytes) -> None:
        self.line.move(min(max(0, self.line.place + int.from_bytes(data, "little", signed=True)), self.area))

    # Character styles.

    def _print_mode(self, data: bytes) -> None:
        mode = data[0]
        self.style.font = "B" if mode & 0x01 else "A"
        self.style.emphasized = bool(mode & 0x08)
        self.style.height, self.style.width = 2 if mode & 0x10 else 1, 2 if mode & 0x20 else 1
        self.style.underline = 1 if mode & 0x80 else 0

    def _size(self, data: bytes) -> None:
        if not data[0] & 0x88:
            self.style.width, self.style.height = (data[0] >> 4) + 1, (data[0] & 0x07) + 1

    def _font(self, data: bytes) -> str | None:
        if data[0] not in _FONTS:
            return "no such font"
        self.style.font = _FONTS[data[0]]
        return None

    def _emphasize(self, data: bytes) -> None:
        self.style.emphasized = bool(data[0] & 1)

    def _double_strike(self, data: bytes) -> None:
        self.style.double_strike = bool(data[0] & 1)

    def _underline(self, data: bytes) -> str | None:
        dots = {0: 0, 48: 0, 1: 1, 49: 1, 2: 2, 50: 2}.get(data[0])
        if dots is None:
            return "no such underline"
        self.style.underline = dots
        return None

    def _reverse(self, data: bytes) -> None:
        self.style.reverse = bool(data[0] & 1)

    def _spacing(self, data: bytes) -> None:
        self.style.spacing = data[0]

    def _turn_over(self, data: bytes) -> str | None:
        if not self.line.empty:
            return "not at the beginning of a line"
        self.upside_down = bool(data[0] & 1)
        return None

    def _choose_code_page(self, data: bytes) -> str | None:
        self.code_page = data[0]
        return None if data[0] in CODE_PAGES else "no such code page"

    def _choose_set(self, data: bytes) -> str | None:
        if data[0] not in INTERNATIONAL_SETS:
            return "no such character set"
        self.international = data[0]
        return None

    # Line positions.

    def _justify(self, data: bytes) -> str | None:
        if not self.line.empty:
            return "not at the beginning of a line"
        if data[0] not in _ALIGNMENTS:
            return "no such alignment"
        self.align = _ALIGNMENTS[data[0]]
        return None

    def _space_lines(self, data: bytes) -> None:
        self.line_spacing = data[0] if data else LINE_SPACING

    def _margin(self, data: bytes) -> str | None:
        if not self.line.empty:
            return "not at the beginning of a line"
        self.left = min(word(data), self._build.width - Style().cell_width)
        self.area = min(self.area, self._build.width - self.left)
        return None

    def _print_area(self, data: bytes) -> str | None:
        if not self.line.empty:
            return "not at the beginning of a line"
        self.area = max(Style().cell_width, min(word(data), self._build.width - self.left))
        return None

    # Images.

    def _block(self, image: Image.Image, mark: Mark) -> Sequence[Job]:
        marked = Mark(what=mark.what, data=mark.data, bottom=image.height)
        return (block(image, paper=self._build.width, left=self.left, area=self.area, align=self.align, mark=marked),)

    def _raster(self, data: bytes) -> Sequence[Job] | str:
        image = raster_image(data)
        if image is None:
            return "no such raster image"
        if not self.line.empty:
            return "not at the beginning of a line"
        return self._block(image, Mark(what="image"))

    def _columns(self, data: bytes) -> str | None:
        if data[0] not in DOTS_8 + DOTS_24 or len(data) == 3:  # noqa: PLR2004 - m nL nH without an image
            return "no such column image"
        image = column_image(data)
        # what does not fit is not printed
        room = min(image.width, self.area - self.line.place)
        if room > 0:
            self.line.image(image.crop((0, 0, room, image.height)))
        return None

    def _store_graphics(self, data: bytes) -> Sequence[Job] | str | None:
        image = self._graphics.do(data)
        if isinstance(image, str) or image is None:
            return image
        return self._block(image, Mark(what="image")) if self.line.empty else "not at the beginning of a line"

    # Barcodes.

    def _height_of_bars(self, data: bytes) -> None:
        self._bar_height = data[0] or self._bar_height

    def _width_of_bars(self, data: bytes) -> str | None:
        if data[0] not in symbols.NARROW_AND_WIDE:
            return "no such width"
        self._bar_width = data[0]
        return None

    def _place_of_text(self, data: bytes) -> str | None:
        place = data[0] - 48 if data[0] >= 48 else data[0]  # noqa: PLR2004 - "0"
        if place > 3:  # noqa: PLR2004 - above and below
            return "no such place"
        self._hri = place
        return None

    def _font_of_text(self, data: bytes) -> str | None:
        if data[0] not in _FONTS:
            return "no such font"
        self._hri_font = _FONTS[data[0]]
        return None

    def _barcode(self, data: bytes) -> Sequence[Job] | str:
        if not self.line.empty:
            return "not at the beginning of a line"
        counted = data[0] >= min(symbols.NAMES)
        said = data[2:] if counted else data[1:].rstrip(bytes((NUL,)))
        try:
            name = symbols.symbology(data[0])
            self._rest = said[symbols.first_wrong(name, said) + 1 :]
            bars, text = symbols.bars(name, said, self._bar_width)
        except symbols.UnprintableError as error:
            return str(error)
        if len(bars) > self.area:
            return f"wider than the paper: {len(bars)} dots"
        return self._block(self._barcode_image(bars, text), Mark(what=name, data=text))

    def _barcode_image(self, bars: Sequence[bool], text: str) -> Image.Image:
        style = Style(font=self._hri_font)
        above, below = bool(self._hri & 1), bool(self._hri & 2)
        words = text[: self.area // style.cell_width]
        width = max(len(bars), len(words) * style.cell_width) if above or below else len(bars)
        row = Image.new("1", (len(bars), 1))
        row.putdata([255 if bar else 0 for bar in bars])
        top = style.cell_height if above else 0
        image = Image.new("1", (width, top + self._bar_height + (style.cell_height if below else 0)))
        image.paste(row.resize((len(bars), self._bar_height)), ((width - len(bars)) // 2, top))
        for place in ([0] if above else []) + ([top + self._bar_height] if below else []):
            left = (width - len(words) * style.cell_width) // 2
            for number, character in enumerate(words):
                image.paste(drawn(character, style), (left + number * style.cell_width, place))
        return image

    def _two_dimensional(self, data: bytes) -> Sequence[Job] | str | None:
        try:
            image = self._qr.do(data)
        except symbols.UnprintableError as error:
            return str(error)
        if image is None:
            return None
        if not self.line.empty:
            return "not at the beginning of a line"
        if image.width > self.area:
            return f"wider than the paper: {image.width} dots"
        return self._block(image, Mark(what="QR", data=self._qr.text))

    # Cutting.

    def _cut(self, data: bytes) -> Sequence[Job] | str:
        if not self.line.empty:
            return "not at the beginning of a line"
        if data[0] in _CUTS:
            return (Cut(_CUTS[data[0]]),)
        if data[0] not in CUTS_WITH_FEED:
            return "no such cut"
        dots = self._build.cutter_gap + data[1]
        if data[0] in _CUT_LATER:
            self._later = _CUT_LATER[data[0]], dots
            return ()
        return blank(dots, self._build.width), Cut(_FEED_AND_CUT[data[0]])

    def _cut_later(self, jobs: Sequence[Job]) -> Sequence[Job]:
        """Insert a cut reserved by GS V 97 or 98 once the paper has moved far enough."""
        if self._later is None:
            return jobs
        cut: list[Job] = []
        for job in jobs:
            cut.append(job)
            if isinstance(job, Strip) and self._later is not None:
                how, dots = self._later
                self._later = (how, dots - job.height) if job.height < dots else None
                if self._later is None:
                    cut.append(Cut(how, past=job.height - dots))
        return cut

    # Answers.

    def _status(self, data: bytes) -> str | None:
        answer = status.in_order(data[0], self._now())
        self._say(answer)
        return None if answer else "no such status"

    def _automatic(self, data: bytes) -> None:
        self.automatic = data[0]
        if self.automatic:
            self._say(status.automatic(self._now()))

    def _identify(self, data: bytes) -> str | None:
        build = self._build
        ids = {1: build.model_id, 49: build.model_id, 2: build.type_id, 50: build.type_id}
        ids |= {3: build.version_id, 51: build.version_id}
        texts = {65: build.firmware, 66: build.maker, 67: build.model, 68: build.serial}
        if data[0] in ids:
            self._say(bytes((ids[data[0]],)))
        elif data[0] in texts:
            self._say(bytes((status.INFORMATION_HEADER, *texts[data[0]].encode("ascii"), NUL)))
        else:
            return "no such information"
        return None

    def _respond(self, data: bytes) -> str | None:
        """Answer GS ( H, function 48: everything before it has been printed."""
        function, given = data[3:5], data[5:]
        if function != b"\x30\x30" or len(given) != 4 or not all(0x20 <= byte <= 0x7E for byte in given):  # noqa: PLR2004 - d1 to d4
            return "no such response"
        self._say(status.block(status.PROCESS_ID, given))
        return None

    # Other commands.

    def _select(self, data: bytes) -> None:
        self.selected = bool(data[0] & 1)

    def _buttons(self, data: bytes) -> str | None:
        if data[0] != ord("5"):
            return None
        self.buttons = not data[1] & 1
        return None

    def _pulse(self, _data: bytes) -> None:
        self.drawer_pulses += 1

    def _with_function(self, data: bytes) -> Sequence[Job] | str | None:
        functions: dict[int, Callable[[bytes], Sequence[Job] | str | None]] = {
            ord("H"): self._respond,
            ord("k"): lambda given: self._two_dimensional(given[3:]),
            ord("L"): lambda given: self._store_graphics(given[3:]),
        }
        function = functions.get(data[0])
        return "not simulated" if function is None else function(data)

    def _table(self) -> dict[str, Callable[[bytes], Sequence[Job] | str | None]]:
        return {
            TEXT: self._text,
            "LF": lambda _data: (self._end_line(self.line_spacing),),
            "HT": self._tab,
            "ESC @": lambda _data: self.initialise(),
            "ESC !": self._print_mode,
            "ESC $": self._move_to,
            "ESC \\": self._move_by,
            "ESC *": self._columns,
            "ESC -": self._underline,
            "ESC 2": self._space_lines,
            "ESC 3": self._space_lines,
            "ESC =": self._select,
            "ESC D": self._set_tabs,
            "ESC E": self._emphasize,
            "ESC G": self._double_strike,
            "ESC J": lambda data: self._feed(data[0]),
            "ESC M": self._font,
            "ESC R": self._choose_set,
            "ESC  ": self._spacing,
            "ESC a": self._justify,
            "ESC c": self._buttons,
            "ESC d": lambda data: self._feed(data[0] * self.line_spacing),
            "ESC i": lambda _data: self._cut(b"\x00"),
            "ESC m": lambda _data: self._cut(b"\x01"),
            "ESC p": self._pulse,
            # older hosts request the data of GS r this way
            "ESC u": lambda _data: self._status(b"\x02"),
            "ESC v": lambda _data: self._status(b"\x01"),
            "ESC t": self._choose_code_page,
            "ESC {": self._turn_over,
            "GS !": self._size,
            "GS (": self._with_function,
            "GS 8": lambda data: self._store_graphics(data[5:]) if data[0] == ord("L") else "not simulated",
            "GS B": self._reverse,
            "GS H": self._place_of_text,
            "GS I": self._identify,
            "GS L": self._margin,
            "GS V": self._cut,
            "GS W": self._print_area,
            "GS a": self._automatic,
            "GS f": self._font_of_text,
            "GS h": self._height_of_bars,
            "GS k": self._barcode,
            "GS r": self._status,
            "GS v": self._raster,
            "GS w": self._width_of_bars,
        }
