"""The German catalogue holds all that is said, and the display speaks the language that its view names."""

import ast
import re
import string
import subprocess
from collections.abc import Iterable
from gettext import GNUTranslations, NullTranslations
from pathlib import Path

import pygame
import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

from controller import faults
from controller.features.tickets import attendant_slips
from controller.features.tickets import printing as ticket_slip
from tests.rigs.needing import needs_tools
from tests.rigs.paths import ROOT
from tests.rigs.views import changed
from tests.ui.programme import PROGRAMME
from tests.ui.programme_service import AS_WRITTEN
from tests.ui.rehearsal import BAKED, MONEY, Rehearsal
from tests.ui.said import Said, said
from ui import bake, text
from ui.baking import catalogues
from ui.baking.pictures import Picture
from ui.baking.sources import ArtError, rasterise, read, read_folder
from ui.draw_context import DrawContext
from ui.languages import Languages, catalogue_path
from ui.protocol.messages import Notice
from ui.protocol.values import Money
from ui.scenes import service_entry

SEEN = 40
"""From this alpha on, of 255, a pixel is taken for drawn."""
CUT = 0.02
"""How far the edge of what is drawn may lie from its place, as a part of the picture."""


class Recording(NullTranslations):
    """English, and a note of each text that was asked for and that `inner` has no words for."""

    def __init__(self, inner: GNUTranslations) -> None:
        super().__init__()
        self._known = set(inner._catalog)  # type: ignore[attr-defined]  # gettext lists its messages nowhere else
        self.unknown: set[str] = set()

    def gettext(self, message: str) -> str:
        """Note `message` where it is unknown."""
        if message not in self._known and any(character.isalpha() for character in _bare(message)):
            self.unknown.add(message)
        return message

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """Note the pair where it is unknown."""
        if (msgid1, 0) not in self._known:
            self.unknown.add(msgid1)
        return msgid1 if n == 1 else msgid2


class Heard(Languages):
    """Languages whose German is `recording`."""

    def __init__(self, recording: Recording) -> None:
        super().__init__(BAKED)
        self._recording = recording

    def catalogue(self, language: str) -> NullTranslations:  # noqa: ARG002  English, as it were
        """Return the recording, whatever the language."""
        return self._recording


@pytest.fixture(scope="session")
def german() -> Catalog:
    return catalogues.read_catalogues()["de"]


@pytest.fixture
def spoken(tmp_path: Path) -> GNUTranslations:
    """German as the display reads it."""
    catalogues.compile_to(tmp_path)
    found = Languages(tmp_path).catalogue("de")
    assert isinstance(found, GNUTranslations)
    return found


def _figures(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


def _bare(template: str) -> str:
    return "".join(words for words, _, _, _ in string.Formatter().parse(template))


def _untranslated(
    catalogue: Catalog, words: str | tuple[str, str], figures: set[str] | None = None, context: str | None = None
) -> str:
    """Return what `ui/locale/de.po` lacks of these words, or whose German has other `figures`."""
    message = catalogue.get(words, context=context)  # type: ignore[arg-type]  # Babel takes a pair where there are two forms
    if message is None:
        return f"{words!r} is not in ui/locale/de.po"
    if not message.string:
        return f"{words!r} is not translated in ui/locale/de.po"
    if message.fuzzy:
        return f"{words!r} is marked as fuzzy in ui/locale/de.po"
    forms = [message.string] if isinstance(words, str) else list(message.string)
    if len(forms) != len([words] if isinstance(words, str) else words):
        return f"{words!r} has {len(forms)} forms in ui/locale/de.po"
    if figures is not None and any(_figures(form) != figures for form in forms):
        return f"{words!r} has other figures in ui/locale/de.po"
    return ""


@pytest.fixture(scope="module")
def gathered() -> Said:
    """All that the display may say."""
    return said()


def test_every_text_is_translated_with_its_figures(gathered: Said, german: Catalog) -> None:
    """A text that is said somewhere has its German, with the same figures."""
    assert gathered.texts
    assert [fault for words in sorted(gathered.texts) if (fault := _untranslated(german, words, _figures(words)))] == []


def test_every_number_of_things_has_both_forms(gathered: Said, german: Catalog) -> None:
    """One thing and many things are both translated, each with its number."""
    assert gathered.plurals
    assert [fault for pair in sorted(gathered.plurals) if (fault := _untranslated(german, pair, {"number"}))] == []


def test_the_catalogue_says_nothing_that_is_never_said(gathered: Said, german: Catalog) -> None:
    """A text that was reworded leaves no old translation behind."""
    known: set[object] = {(message.id, message.context) for message in german if message.id}
    wanted = {
        *((words, None) for words in gathered.texts),
        (text.MOMENT, None),  # no words, but an order of the language's own
        *((pair, None) for pair in gathered.plurals),
        *((words, catalogues.CONTEXT) for words in gathered.drawn),
    }
    assert known - wanted == set()


SOURCES = [path for folder in ("ui", "games", "venue") for path in sorted((ROOT / folder).rglob("*.po"))]


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_text_is_translated_twice(source: Path) -> None:
    """Of two entries for one text only one is ever said, and nobody sees which."""
    assert catalogues.translated_twice(source.read_text("utf-8")) == []


def test_a_catalogue_with_two_entries_for_a_text_is_refused(tmp_path: Path) -> None:
    """Also where both say the same, or one is broken into lines; another context is another text."""
    path = tmp_path / "de.po"
    head = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n\n'
    once = 'msgid "BET"\nmsgstr "EINSATZ"\n'
    path.write_text(f'{head}{once}\nmsgctxt "art"\n{once}', "utf-8")
    assert len(catalogues.read_catalogue(path)) == 2
    path.write_text(f'{head}{once}\nmsgid ""\n"BE"\n"T"\nmsgstr "EINSATZ"\n', "utf-8")
    with pytest.raises(catalogues.WordsError, match=r"de\.po: 'BET' has two entries"):
        catalogues.read_catalogue(path)


@needs_tools("msgfmt", packages="gettext")
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_gettext_takes_each_catalogue(source: Path) -> None:
    """`msgfmt --check`: head, figures and double entries, as translators' tools see them."""
    done = subprocess.run(["msgfmt", "--check", "--output-file=/dev/null", source], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


OTHER_WORDS = {
    r"[Mm]aschine|Automat|AUTOMAT": "Gerät",
    r"Autospin|AUTOSPIN|Autoplay": "Autostart",
    r"[Ee]ntleer|[Kk]assier|KASSIER|Einsamm": "Leerung",
    r"[Kk]redit|KREDIT": "Guthaben",
    r"[Gg]ratis": "freies Guthaben",
    r"\bNoten?\b": "Schein",
    r"Programm\w* spielt|spielt das Programm": "läuft",
}
"""What a German text does not say, and what it says instead (docs/display.md)."""


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_each_thing_has_one_german_word(source: Path) -> None:
    """The machine, autospin, emptying, credit and notes are called the same on every screen and page."""
    with source.open("rb") as file:
        catalogue = read_po(file)
    said = [(message.string,) if isinstance(message.string, str) else message.string for message in catalogue]
    assert _other_words(form for forms in said for form in forms) == []


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_venue_has_one_german_word(source: Path) -> None:
    """`Halle`; `Haus` is the house that sets limits."""
    with source.open("rb") as file:
        catalogue = read_po(file)
    told = [(str(message.id), str(message.string)) for message in catalogue if message.id]
    of_venue = [german for english, german in told if re.search(r"\bvenue\b", english, re.IGNORECASE)]
    assert [german for german in of_venue if re.search(r"\bVenue|Haus(?:es)?\b", german)] == []


def test_slips_and_tickets_have_the_same_german_words() -> None:
    """What is printed is not in a catalogue, and says the same."""
    printed = [*attendant_slips._TITLES["de"].values(), *attendant_slips._WORDS["de"], *ticket_slip._WORDS["de"]]
    assert _other_words((*printed, *attendant_slips._FIGURES["de"].values())) == []


def _other_words(said: Iterable[str]) -> list[str]:
    """Return what says a thing by another word than its own, with that word."""
    return [
        f"{words!r}: say {instead}"
        for words in said
        for pattern, instead in OTHER_WORDS.items()
        if re.search(pattern, words)
    ]


def test_every_refusal_names_its_message() -> None:
    """Why something is refused is a text that can be translated, and no sentence put together where it is raised."""
    built = [
        f"{path}:{call.lineno}"
        for path in sorted(Path(faults.__file__).parent.rglob("*.py"))
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call)
        and ast.unparse(call.func) == "RefusedError"
        and any(isinstance(argument, ast.JoinedStr) for argument in call.args)
    ]
    assert built == []


def test_what_is_drawn_in_pictures_is_translated(gathered: Said, german: Catalog) -> None:
    """Each word of a picture that may differ from language to language has an entry of its own."""
    assert gathered.drawn
    context = catalogues.CONTEXT
    missing = [_untranslated(german, words, context=context) for words in sorted(gathered.drawn)]
    assert [words for words in missing if words] == []


def test_no_screen_says_what_has_no_translation(spoken: GNUTranslations) -> None:
    """The whole programme, listened to: every text that a scene asks for is in the catalogue."""
    recording = Recording(spoken)
    context = DrawContext(BAKED, 1, languages=Heard(recording))
    for play in PROGRAMME.values():
        rehearsal = Rehearsal(context=context)
        play(rehearsal)
        rehearsal.picture()
    assert recording.unknown - AS_WRITTEN == set()


def test_one_and_many_have_their_own_words(spoken: GNUTranslations) -> None:
    """German puts one thing in the singular and all other numbers in the plural."""
    text.speak(spoken, MONEY["de"])
    written = [text.count(text.COIN, text.COINS, number, ".") for number in (0, 1, 2, 1_000)]
    assert written == ["0 Münzen", "1 Münze", "2 Münzen", "1.000 Münzen"]


def test_figures_follow_the_cabinet_s_money_and_not_the_language(spoken: GNUTranslations) -> None:
    """German words with English figures, where the cabinet is set up so."""
    text.speak(spoken, Money())
    assert (text.whole(1_234_567), text.decimal("94.60"), text.amount(123_450)) == ("1,234,567", "94.60", "1,234.50 €")
    text.speak(spoken, MONEY["de"])
    assert (text.whole(1_234_567), text.decimal("94.60"), text.amount(123_450)) == ("1.234.567", "94,60", "1.234,50 €")


def test_a_notice_is_shown_in_the_player_s_language(spoken: GNUTranslations) -> None:
    """Its place too; what has no translation is in English."""
    door = Notice("door_open", "The main door is open", place="main door", template="The {place} is open")
    strange = Notice("strange", "Something odd", template="Something {place}", place="odd")
    assert text.notice(door) == "The main door is open"
    text.speak(spoken, Money())
    assert text.notice(door) == "Haupttür offen"
    assert text.notice(strange) == "Something odd"


def test_a_refusal_is_shown_in_the_reader_s_language_with_its_amounts(spoken: GNUTranslations) -> None:
    """What ends in `_cents` is written as money, another figure as a number, a text is translated."""
    text.speak(spoken, MONEY["de"])
    assert (
        text.outcome("At most {most_cents} can be given at once", {"most_cents": 5000})
        == "Höchstens 50,00 € auf einmal"
    )
    written = text.outcome("From 1 to {most} coins can be put in, not {coins}", {"most": 10_000, "coins": 0})
    assert written == "1 bis 10.000 Münzen lassen sich einfüllen, nicht 0"


def test_a_coin_value_is_chosen_as_the_cabinet_writes_money(spoken: GNUTranslations) -> None:
    """C.3: what is a plain figure on the wire is an amount on the screen; other choices are translated."""
    text.speak(spoken, MONEY["de"])
    assert [service_entry.choice(words) for words in ("0.05", "12.00", "50 %", "off")] == [
        "0,05 €",
        "12,00 €",
        "50 %",
        "aus",
    ]


def test_a_missing_catalogue_is_logged_once_and_english_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line on stderr names the file and the mend; so does a file that is no catalogue."""
    languages = Languages(tmp_path)
    for _ in range(2):
        assert languages.catalogue("de").gettext("CREDIT") == "CREDIT"
    (said_once,) = capsys.readouterr().err.splitlines()
    assert str(catalogue_path(tmp_path, "de")) in said_once
    assert "cabinet bake" in said_once
    broken = catalogue_path(tmp_path, "xx")
    broken.parent.mkdir(parents=True)
    broken.write_bytes(b"no catalogue at all")
    assert languages.catalogue("xx").gettext("CREDIT") == "CREDIT"
    assert str(broken) in capsys.readouterr().err


@pytest.mark.parametrize("screen", ["idle", "lobby", "paytable", "attract"])
def test_a_change_of_language_leaves_nothing_of_the_old_one(screen: str) -> None:
    """A screen that was English and turns German looks as if it had been German from the start, and back."""
    english, german = (Rehearsal(language=language) for language in ("en", "de"))

    def lead(rehearsal: Rehearsal) -> None:
        """Show the screen; of attract's games one alone, since which game's card comes is left to chance."""
        PROGRAMME[screen](rehearsal)
        if screen == "attract":
            rehearsal.view(changed(rehearsal.director.view, games=("neptune",)))

    for rehearsal in (english, german):
        lead(rehearsal)
    own = {"en": english.pixels(), "de": german.pixels()}
    assert own["en"] != own["de"]
    both = Rehearsal()
    for language in ("en", "de", "en"):
        lead(both)
        both.view(changed(both.director.view, language=language, money=MONEY[language]))
        assert both.pixels() == own[language]


def test_a_picture_has_its_words_in_the_language() -> None:
    """The COLLECT button's letters differ, its size and the wordless buttons do not."""
    context = DrawContext(BAKED, 1)
    drawn = {}
    for language in ("en", "de"):
        context.speak(language, Money())
        drawn[language] = {name: context.shared.sprite(name) for name in ("button_collect", "button_spin")}
    english, german = (drawn[language]["button_collect"] for language in ("en", "de"))
    assert english.get_size() == german.get_size()
    assert pygame.image.tobytes(english, "RGBA") != pygame.image.tobytes(german, "RGBA")
    words = [pygame.image.tobytes(drawn[language]["button_spin"], "RGBA") for language in ("en", "de")]
    assert words[0] == words[1]


SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="240" height="100"><rect width="240" height="100"/>'
    '<text x="120" y="60" font-family="Roboto" font-weight="900" font-size="40" data-room="{room}">{words}</text></svg>'
)


def _drawn(folder: Path, words: str, room: int, catalogue: Catalog) -> str | None:
    path = folder / "sign.svg"
    path.write_text(SVG.format(words=words, room=room), "utf-8")
    own = catalogues.in_language(read(path), catalogue)
    return None if own is None else own.svg


def test_translated_words_keep_to_their_room(tmp_path: Path) -> None:
    """Longer words are set smaller, a line break makes two lines, and the same words make no second picture."""
    catalogue = Catalog(locale="de")
    catalogue.add("COLLECT", "AUSZAHLEN", context=catalogues.CONTEXT)
    catalogue.add("MAX BET", "MAX\nEINSATZ", context=catalogues.CONTEXT)
    catalogue.add("WILD", "WILD", context=catalogues.CONTEXT)
    roomy, narrow = (_drawn(tmp_path, "COLLECT", room, catalogue) for room in (400, 110))
    assert roomy is not None
    assert narrow is not None
    assert 'font-size="40.00"' in roomy
    assert 'font-size="40.00"' not in narrow
    assert "AUSZAHLEN" in narrow
    two = _drawn(tmp_path, "MAX BET", 200, catalogue)
    assert two is not None
    assert two.count("<tspan") == 2
    assert _drawn(tmp_path, "WILD", 200, catalogue) is None
    with pytest.raises(ArtError, match="'HELLO' has no art entry"):
        _drawn(tmp_path, "HELLO", 200, catalogue)


def _drawn_box(picture: Picture) -> list[float]:
    """Return left, top, right and bottom of what is drawn, as parts of the picture."""
    down, across = picture[..., 3].max(axis=1) > SEEN, picture[..., 3].max(axis=0) > SEEN
    columns, rows = across.nonzero()[0], down.nonzero()[0]
    height, width = picture.shape[:2]
    return [columns[0] / width, rows[0] / height, (columns[-1] + 1) / width, (rows[-1] + 1) / height]


def test_translated_pictures_keep_to_their_room_on_a_larger_monitor_too() -> None:
    """At 1920x1080 each German picture of Bewitched is half as large again, its words in the same place, none cut."""
    german = catalogues.read_catalogues()["de"]
    sources = [catalogues.in_language(source, german) for source in read_folder(bake.worlds()["bewitched"])]
    own = [source for source in sources if source is not None]
    assert own
    for source in own:
        small, large = rasterise(source, 1), rasterise(source, 1.5)
        assert large.shape[:2] == tuple(side * 3 // 2 for side in small.shape[:2]), source.name
        places = zip(_drawn_box(small), _drawn_box(large), strict=True)
        assert all(abs(one - other) < CUT for one, other in places), source.name
