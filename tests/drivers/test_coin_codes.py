import pytest

from controller.faults import CATALOGUE
from drivers import coin_codes, self_checks
from drivers.coin_codes import ERRORS, CodeClass

DEFINED = {*range(41), *range(128, 192), 253, 254, 255}
TILT = {14: "coin_jam", 17: "coin_reverse", 20: "coin_string", **dict.fromkeys((16, 23, 36, 39, 40), "coin_alarm")}


def test_every_defined_error_code_has_its_own_words() -> None:
    """Table 2 is whole: 0 to 40, 128 to 191 and 253 to 255, and no two codes read alike."""
    assert set(ERRORS) == DEFINED
    texts = [error.text for error in ERRORS.values()]
    assert all(texts)
    assert len(set(texts)) == len(texts)


def test_what_must_tilt_tilts_and_slugs_are_told_apart() -> None:
    """Jams, tricks and light tilt (D5); strings, slugs and reverse coins each raise a fault of their own (B13)."""
    assert {code: error.fault for code, error in ERRORS.items() if error.kind is CodeClass.TILT} == TILT
    assert {code: error.fault for code, error in ERRORS.items() if error.fault and code not in TILT} == {
        25: "coin_slug"
    }
    assert {error.fault for error in ERRORS.values() if error.fault} <= set(CATALOGUE)


def test_only_what_says_that_we_inhibit_is_ignored() -> None:
    """An inappropriate coin is logged with its words (D4); that a coin is refused as we wish is no event."""
    ignored = {code for code, error in ERRORS.items() if error.kind is CodeClass.IGNORED}
    assert ignored == {0, 2, *range(128, 160), 253}
    assert coin_codes.explain(128).text == "a coin of type 1 that is not taken now"
    assert coin_codes.explain(159).text == "a coin of type 32 that is not taken now"


@pytest.mark.parametrize("code", sorted(set(range(256)) - DEFINED))
def test_a_code_that_no_table_has_is_logged_with_its_number(code: int) -> None:
    """A newer device's code is told as what it is."""
    error = coin_codes.explain(code)
    assert (error.kind, error.fault) == (CodeClass.LOGGED, "")
    assert str(code) in error.text


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"\x00", ""),
        (b"\x00\x07", ""),
        (b"\x03", "the credit sensor failed (code 3)"),
        (b"\x02\x05", "a measuring coil failed, coil 5 (code 2)"),
        (b"\x29\x01", "the string sensor failed (code 41)"),
        (b"\xc8", "a fault that only the manual explains (code 200)"),
    ],
)
def test_a_self_check_is_told_in_words(answer: bytes, words: str) -> None:
    """What request 232 answers is one sentence, with the part and with the manual's code."""
    assert self_checks.in_words(answer) == words


def test_every_self_check_code_that_the_protocol_page_names_has_words() -> None:
    """protocols.md, 1: the codes of a coin acceptor, a hopper and a validator."""
    named = {*range(1, 13), *range(18, 21), *range(22, 27), 30, 31, 32, 33, 34, *range(36, 43), 44, 45}
    assert named <= set(self_checks.FAULTS)
    assert len(set(self_checks.FAULTS.values())) == len(self_checks.FAULTS)
