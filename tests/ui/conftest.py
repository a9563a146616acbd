"""What the tests of the display share."""

from collections.abc import Iterator
from gettext import NullTranslations

import pytest

from ui import text
from ui.protocol.values import Money


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    """What a test has let the display speak is forgotten."""
    yield
    text.speak(NullTranslations(), Money())
