"""The ways of a press and of a coin stay short."""

from pathlib import Path

from tests.bench.money_path import paths


async def test_a_press_and_a_coin_pass_few_files(tmp_path: Path) -> None:
    """A press comes to its stake row in at most 19 files and 46 moves, a coin to its credit row in 13 and 21."""
    found = await paths(tmp_path)
    press, coin = found["press"], found["coin"]
    assert (len(press) <= 19, press.total() <= 46) == (True, True), press
    assert (len(coin) <= 13, coin.total() <= 21) == (True, True), coin
    assert {"machine/state_machine.py", "play/playing.py", "journal/ledger.py"} <= set(press)
    assert "hardware/money_listener.py" in coin
