import pytest

from tests.ui.rehearsal import Rehearsal
from ui.lettering import PLAIN, Lettering

PAID = "Ausgezahlt: 200,00 € in Münzen, 1.034,50 € von Hand, zusammen 1.234,50 €"
VOIDED = "An interrupted game could not be continued; its stake was given back"


@pytest.fixture(scope="module")
def letters() -> Lettering:
    """Return the lettering of a display at 1280x720."""
    return Rehearsal().context.letters


@pytest.mark.parametrize("width", range(150, 700, 25))
def test_no_line_begins_with_the_sign_of_a_currency(letters: Lettering, width: int) -> None:
    """An amount is read as one: its currency is in the line of its figure."""
    lines = letters.wrapped(PAID, 23, width, PLAIN)
    assert " ".join(lines) == PAID
    assert not [line for line in lines if line.startswith("€")]


def test_centred_lines_are_about_equally_long(letters: Lettering) -> None:
    """No word is alone under a long line in a dialog; as few lines are taken as in any other paragraph."""
    centred = letters.paragraph(VOIDED, 23, 620, centred=True)
    plain = letters.paragraph(VOIDED, 23, 620)
    assert centred.get_size() == plain.get_size()
    ink = [centred.subsurface((0, top, 620, 30)).get_bounding_rect().width for top in (0, 31)]
    assert min(ink) > 0.7 * max(ink)
    assert max(ink) < plain.get_bounding_rect().width


def test_a_message_takes_no_more_lines_than_it_needs() -> None:
    """Portrait's message line holds two lines, whatever must stay together in them."""
    large = Rehearsal(shape="portrait").context.sized(1.5).letters
    step = large.lines(f"{VOIDED[:20]}", 21, 640).get_height()
    assert large.lines(PAID, 21, 640).get_height() < 2.5 * step
