"""The map of the touch screen: found from five touches, refused where they do not fit, kept for ever."""

from collections.abc import Callable

import pytest

from controller.machine.touch_calibration import NONE, TARGETS, CalibrationError, Place, applied, fitted

pytestmark = pytest.mark.requirement("G10")


def seen(panel: Callable[[float, float], Place]) -> list[Place]:
    """Where a panel sees fingers that are put on the crosses."""
    return [panel(x, y) for x, y in TARGETS]


@pytest.mark.parametrize(
    "panel",
    [
        lambda x, y: (x, y),
        lambda x, y: (x * 0.9 + 40, y * 1.1 - 20),
        lambda x, y: (1280 - x, 720 - y),
        lambda x, y: (y * 1280 / 720, 720 - x * 720 / 1280),
    ],
    ids=["true", "stretched", "upside down", "turned"],
)
def test_a_panel_is_mapped_back(panel: Callable[[float, float], Place]) -> None:
    """However it is mounted: after the five touches every place of the screen is where the finger is."""
    found = fitted([(round(x), round(y)) for x, y in seen(panel)])
    for place in ((0, 0), (1279, 719), (300, 500), (640, 10)):
        x, y = applied(found, panel(*place))
        assert (abs(x - place[0]) < 2, abs(y - place[1]) < 2) == (True, True)


def test_a_trembling_finger_is_forgiven() -> None:
    """Touches some units beside their crosses still give a map."""
    touched = [(x + way, y - way) for (x, y), way in zip(TARGETS, (9, -9, 8, -8, 0), strict=True)]
    assert max(abs(x - y) for x, y in zip(fitted(touched), (1, 0, 0, 0, 1, 0), strict=True)) < 8


@pytest.mark.parametrize(
    "touched",
    [
        [(640, 360)] * 5,
        [(x, 360) for x, _ in TARGETS],
        [(x // 4 + 500, y // 4 + 300) for x, y in TARGETS],
        [*TARGETS[:4], (400, 360)],
        [TARGETS[1], TARGETS[0], *TARGETS[2:]],
    ],
    ids=["one place", "one line", "a corner of the screen", "beside the middle", "in another order"],
)
def test_touches_that_do_not_fit_give_no_map(touched: list[Place]) -> None:
    """Whoever has not touched the crosses changes nothing."""
    with pytest.raises(CalibrationError):
        fitted(touched)


def test_without_a_map_a_finger_is_where_it_seems() -> None:
    """No calibration is none."""
    assert applied(NONE, (12, 34)) == (12, 34)
