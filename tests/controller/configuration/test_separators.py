"""How amounts are written: as the cabinet's language writes them, unless the configuration says otherwise."""

import pytest

from controller.configuration.cabinet_toml import ConfigurationError, parse
from controller.configuration.separators import USUAL
from controller.settings.settings_table import LANGUAGES
from tests.rigs.configurations import SMALLEST
from ui.protocol.values import written


def amount(*lines: str, money: str = "") -> str:
    """Return 1,234.50 as a cabinet of this `[cabinet]` writes it."""
    config = parse("\n".join((SMALLEST, "[cabinet]", *lines, "[cabinet.money]", money)))
    return written(123_450, config.cabinet.written_money)


def test_each_language_has_its_own_signs() -> None:
    """A German cabinet writes 0,00 without being told to."""
    assert set(USUAL) == set(LANGUAGES)
    assert amount() == amount('language = "en"') == "1,234.50 €"
    assert amount('language = "de"') == "1.234,50 €"
    assert amount('language = "de"', money='decimal = "language"\nthousands = "language"') == "1.234,50 €"


def test_the_configuration_has_the_last_word() -> None:
    """English signs on a German cabinet, Swiss ones, and no sign for thousands."""
    assert amount('language = "de"', money='decimal = "."\nthousands = ","') == "1,234.50 €"
    assert amount('language = "de"', money='decimal = "."\nthousands = "\'"') == "1'234.50 €"
    assert amount('language = "de"', money='thousands = ""') == "1234,50 €"


@pytest.mark.parametrize(
    ("language", "money"), [("de", 'decimal = "."'), ("en", 'decimal = ","'), ("de", 'thousands = ","')]
)
def test_two_equal_signs_are_refused(language: str, money: str) -> None:
    """Also where one of them is the language's."""
    with pytest.raises(ConfigurationError, match="thousands: is the sign for decimals too"):
        amount(f'language = "{language}"', money=money)


@pytest.mark.parametrize("sign", ["0", "12", "a", "-", "+", "..", "language."])
@pytest.mark.parametrize("key", ["decimal", "thousands"])
def test_what_is_no_sign_is_refused(key: str, sign: str) -> None:
    """With a figure for the decimal sign 1.00 would read 1000."""
    with pytest.raises(ConfigurationError, match=f"money.{key}: is '.*'; give one sign"):
        amount(money=f'{key} = "{sign}"')
