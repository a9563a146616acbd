"""The bake beside a demo: waited for until its first game is whole, ended with the demo."""

from pathlib import Path

import pytest

from controller.features.demo.baking import EXPECTED, FIRST_WHOLE, Baking
from controller.features.demo.processes import GivenUpError
from ui import bake


def test_the_demo_waits_for_what_the_bake_prints() -> None:
    """Both say the same words."""
    assert FIRST_WHOLE == bake.FIRST_WHOLE


def test_a_bake_that_fails_ends_the_demo(tmp_path: Path) -> None:
    """With the reason; a demo that is stopped before waits no longer."""
    log = tmp_path / "bake.log"
    log.write_text(f"{FIRST_WHOLE}\n", "utf-8")  # of a bake before this one
    with (
        Baking(tmp_path / "baked", "no_such_game", log) as baking,
        pytest.raises(GivenUpError, match="bake ended before"),
    ):
        baking.wait(lambda: False, print)
    with Baking(tmp_path / "baked", "neptune", log) as baking:
        assert not baking.wait(lambda: True, print)


def test_a_bake_that_takes_a_while_is_announced(tmp_path: Path) -> None:
    """Once, with how long it usually takes, and from then on with the seconds that have passed."""
    said: list[str] = []
    with Baking(tmp_path / "baked", "neptune", tmp_path / "bake.log") as baking:
        assert not baking.wait(lambda: len(said) == 2, said.append)
    assert said == [EXPECTED, "  12 s"]


def test_a_bake_that_fails_beside_the_demo_is_said_once(tmp_path: Path) -> None:
    """The games that were to join do not: its exit code and its last line say so; one that runs is not mentioned."""
    said: list[str] = []
    with Baking(tmp_path / "baked", "neptune", tmp_path / "bake.log") as baking:
        baking.look(said.append)
    assert said == []
    with Baking(tmp_path / "baked", "no_such_game", tmp_path / "bake.log") as baking:
        with pytest.raises(GivenUpError):
            baking.wait(lambda: False, print)
        baking.look(said.append)
        baking.look(said.append)
    (words,) = said
    assert words.startswith("The bake ended with ")
    assert "do not join" in words
