import pytest

from controller.faults import known_faults
from drivers.cctalk import coin_codes
from drivers.cctalk.coin_codes import ERRORS, CodeClass
from drivers.cctalk.self_check import WORDS

DEFINED = {*range(41), *range(128, 192), 253, 254, 255}
TILT = {14: "coin_jam", 17: "coin_reverse", 20: "coin_string", **dict.fromkeys((16, 23, 36, 39, 40), "coin_alarm")}


def test_every_defined_error_code_has_its_own_words() -> None:
    """Table 2 is whole: 0 to 40, 128 to 191 and 253 to 255, and no two codes read alike."""
    assert set(ERRORS) == DEFINED
    texts = [error.text for error in ERRORS.values()]
    assert all(texts)
    assert len(set(texts)) == len(texts)


@pytest.mark.requirement("D5", "B13")
def test_what_must_tilt_tilts_and_slugs_are_distinguished() -> None:
    """Jams, tricks and light tilt; strings, slugs and reverse coins each raise a fault of their own."""
    assert {code: error.fault for code, error in ERRORS.items() if error.kind is CodeClass.TILT} == TILT
    assert {code: error.fault for code, error in ERRORS.items() if error.fault and code not in TILT} == {
        25: "coin_slug"
    }
    assert {error.fault for error in ERRORS.values() if error.fault} <= set(known_faults())


@pytest.mark.requirement("D4")
def test_only_what_says_that_we_inhibit_is_ignored() -> None:
    """An inappropriate coin is logged with its words; that a coin is refused as we wish is no event."""
    ignored = {code for code, error in ERRORS.items() if error.kind is CodeClass.IGNORED}
    assert ignored == {0, 2, *range(128, 160), 253}
    assert coin_codes.explain(128).text == "a coin of type 1 that is not taken now"
    assert coin_codes.explain(159).text == "a coin of type 32 that is not taken now"


@pytest.mark.parametrize("code", sorted(set(range(256)) - DEFINED))
def test_a_code_that_no_table_has_is_logged_with_its_number(code: int) -> None:
    """A newer device's code is reported by its number."""
    error = coin_codes.explain(code)
    assert (error.kind, error.fault) == (CodeClass.LOGGED, "")
    assert str(code) in error.text


def test_every_self_check_code_that_the_protocol_page_names_has_words() -> None:
    """protocols.md, 1: the codes of a coin acceptor, a hopper and a validator."""
    named = {*range(1, 13), *range(18, 21), *range(22, 27), 30, 31, 32, 33, 34, *range(36, 43), 44, 45}
    assert named <= set(WORDS)
    assert len(set(WORDS.values())) == len(WORDS)
