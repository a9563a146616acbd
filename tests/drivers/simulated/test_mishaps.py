"""What is ordered befalls the next occasions, what has a rate befalls each by chance, and each is counted."""

import random

import pytest

from drivers.simulated.mishaps import Mishaps


def test_orders_are_used_up_one_by_one() -> None:
    """Two are ordered: the next two occasions are befallen, the third is not; 0 takes an order back."""
    mishaps = Mishaps(("jam", "loss"))
    mishaps.next("jam", 2)
    assert [mishaps.happens("jam") for _ in range(3)] == [True, True, False]
    assert not mishaps.happens("loss")
    mishaps.orders()["loss"](3)
    mishaps.next("loss", 0)
    assert not mishaps.happens("loss")
    assert mishaps.happened == {"jam": 2}


def test_a_rate_repeats_with_its_seed() -> None:
    """The given source decides, and decides the same again; nothing is drawn without a rate."""
    runs = []
    for _ in range(2):
        chance = random.Random(5)
        mishaps = Mishaps(("jam", "loss"), chance)
        mishaps.rate("jam", 0.3)
        runs.append([mishaps.happens("jam") for _ in range(1000)])
        assert 250 < mishaps.happened["jam"] < 350
        before = chance.getstate()
        assert not mishaps.happens("loss")
        assert chance.getstate() == before
    assert runs[0] == runs[1]


def test_which_is_the_first_that_befalls() -> None:
    """One of several, in the order asked; forgotten, none."""
    mishaps = Mishaps(("jam", "loss"))
    mishaps.next("loss")
    mishaps.rate("jam", 1.0)
    assert mishaps.which("jam", "loss") == "jam"
    mishaps.rate("jam", 0.0)
    assert mishaps.which("jam", "loss") == "loss"
    mishaps.next("jam")
    mishaps.forget()
    assert mishaps.which("jam", "loss") == ""


def test_what_is_not_known_is_refused_with_what_there_is() -> None:
    """By every door, as is a number below none or a rate that is no probability."""
    mishaps = Mishaps(("jam",))
    for ask in (mishaps.next, mishaps.happens):
        with pytest.raises(ValueError, match="no such mishap: flu; there are jam"):
            ask("flu")
    with pytest.raises(ValueError, match="no such mishap"):
        mishaps.rate("flu", 0.5)
    with pytest.raises(ValueError, match="order none or more"):
        mishaps.next("jam", -1)
    with pytest.raises(ValueError, match="give 0 to 1"):
        mishaps.rate("jam", 2)
