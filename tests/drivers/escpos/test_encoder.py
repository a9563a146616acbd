"""Slips as commands: what is printed, how large, in which code page, and what cannot be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.capabilities import Slip
from drivers.errors import SettingsError
from drivers.escpos.encoder import CODE_PAGES, SlipEncoder, barcode_width, nearest

TICKET = Slip(
    title="CASH-OUT TICKET",
    amount="1.234,50 €",
    barcode="123456789012345678",
    lines=("Größe: äöü ÄÖÜ ß €", "Machine 12"),
)


@pytest.mark.parametrize(
    ("profile", "page", "codec"),
    [("default", 19, "cp858"), ("TM-T88II", 16, "cp1252"), ("TM-T88V", 19, "cp858"), ("TSP600", 4, "cp858")],
)
def test_umlauts_and_the_euro_sign_print(profile: str, page: int, codec: str) -> None:
    """In the code page that the printer's profile has; its number is the model's own."""
    sent = SlipEncoder(profile, 576).encode(TICKET)
    assert sent.startswith(b"\x1b@\x1bt" + bytes((page,)))
    assert "Größe: äöü ÄÖÜ ß €\n".encode(codec) in sent


def test_a_ticket_is_its_title_amount_barcode_and_lines_and_a_cut() -> None:
    """In this order; the amount is printed largest, and the paper is cut last of all."""
    sent = SlipEncoder("default", 576).encode(TICKET)
    parts = [
        b"\x1d!\x11\x1bE\x01\x1ba\x01CASH-OUT TICKET\n",
        b"\x1d!\x33\x1bE\x01\x1ba\x011.234,50 \xd5\n",
        b"\x1dhd\x1dw\x03\x1df\x00\x1dH\x02\x1dk\x05123456789012345678\x00",
        b"\x1ba\x00Gr",
    ]
    places = [sent.index(part) for part in parts]
    assert places == sorted(places)
    assert sent.endswith(b"\x1dV\x00")


@pytest.mark.parametrize(("dots", "width"), [(832, 4), (640, 4), (576, 3), (512, 3), (384, 2), (360, 2)])
def test_a_barcode_is_as_wide_as_the_paper_allows(dots: int, width: int) -> None:
    """Wide bars are read best; what is wider than the paper a printer leaves out."""
    assert barcode_width(18, dots) == width


def test_a_barcode_wider_than_the_paper_is_refused() -> None:
    """Silently left out it would make a ticket that nobody can redeem."""
    with pytest.raises(ValueError, match="does not fit into 360 dots"):
        barcode_width(24, 360)


@pytest.mark.parametrize("digits", ["1", "12a4", "१२", "1" * 255 + "2"])
def test_what_is_no_even_number_of_digits_is_no_barcode(digits: str) -> None:
    """Interleaved 2 of 5 has pairs of digits; a printer drops an odd one."""
    with pytest.raises(ValueError, match="an even number of digits"):
        SlipEncoder("default", 832).encode(Slip(title="T", barcode=digits))


def test_a_long_line_goes_on_in_the_next() -> None:
    """Nothing is cut off."""
    words = " ".join(f"word{number}" for number in range(30))
    sent = SlipEncoder("default", 576).encode(Slip(title="T", lines=(words,)))
    shown = sent.partition(b"\x1ba\x00")[2].partition(b"\x1bd")[0].decode()
    assert shown.split() == words.split()
    assert max(len(line) for line in shown.splitlines()) <= 48


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Łódź", "Lódz"),
        ("„a“ \N{EN DASH} b…", '"a" - b...'),
        ("ﬁ", "fi"),
        ("漢", "?"),
        ("a\x10\x04\x01\x1b@\n", "a   " + " @ "),
    ],
)
def test_what_the_code_page_lacks_prints_as_its_nearest(text: str, shown: str) -> None:
    """And what would be a command prints as nothing."""
    assert nearest(text, "cp858") == shown


@pytest.mark.parametrize("codec", [codec for _, codec in CODE_PAGES])
@given(st.text(max_size=50))
def test_any_text_prints(codec: str, text: str) -> None:
    """Every character has something in every code page, and none is a command."""
    sent = nearest(text, codec).encode(codec)
    assert all(byte >= 0x20 for byte in sent)


@pytest.mark.parametrize(("profile", "words"), [("TM-T8888", "is not known"), ("NT-5890K", "prints no barcodes")])
def test_a_profile_that_cannot_work_is_refused_with_those_that_can(profile: str, words: str) -> None:
    """The error names the key and what to choose."""
    with pytest.raises(SettingsError, match=rf"ticket_printer.profile: '{profile}' {words}.*TM-T88V"):
        SlipEncoder(profile, 576)
