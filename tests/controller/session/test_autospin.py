"""Autospin stops where its settings say, whatever the wins."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.session.autospin import Autospin, AutospinSettings, AutospinSettingsError, Stop

pytestmark = pytest.mark.requirement("G3")

WINS = st.lists(st.integers(0, 5000), max_size=60)


def run(auto: Autospin, bet: int, wins: list[int], credit: int = 10**9) -> int:
    """Spin until it refuses or the wins run out; return how many spins were played."""
    for number, win in enumerate(wins):
        if auto.refusal(bet, credit) is not None:
            return number
        auto.begun(bet)
        auto.played(win, jackpot=False, feature=False)
        credit += win - bet
    return len(wins)


@given(WINS, st.integers(1, 500), st.integers(1, 20_000))
def test_the_loss_limit_is_never_passed(wins: list[int], bet: int, limit: int) -> None:
    """After every spin that started, limit plus wins so far minus bets is not below 0 but for wins still to come."""
    auto = Autospin(AutospinSettings(spins=100, loss_limit_cents=limit))
    played = run(auto, bet, wins)
    for spin in range(1, played + 1):
        assert limit + sum(wins[: spin - 1]) - spin * bet >= 0
    if played < len(wins):
        assert auto.stopped is Stop.LOSS_LIMIT
        assert limit + sum(wins[:played]) - (played + 1) * bet < 0


@given(WINS, st.integers(1, 5000))
def test_a_single_win_stops_it(wins: list[int], enough: int) -> None:
    """The first round whose win reaches the limit is the last; smaller wins together do not stop it."""
    auto = Autospin(AutospinSettings(spins=100, single_win_cents=enough))
    first = next((number for number, win in enumerate(wins, 1) if win >= enough), len(wins))
    assert first == run(auto, 10, wins)


@given(st.integers(1, 50))
def test_it_plays_as_many_spins_as_were_chosen(spins: int) -> None:
    """The remaining count goes down to nothing, and then it stops."""
    auto = Autospin(AutospinSettings(spins=spins))
    assert (auto.left, auto.of) == (spins, spins)
    assert spins == run(auto, 10, [0] * 60)
    assert (auto.left, auto.stopped) == (0, Stop.PLAYED_OUT)


@pytest.mark.parametrize(
    ("settings", "jackpot", "feature", "stop"),
    [
        (AutospinSettings(), True, True, Stop.JACKPOT),
        (AutospinSettings(stop_on_jackpot=False), True, True, None),
        (AutospinSettings(stop_on_feature=True), False, True, Stop.FEATURE),
        (AutospinSettings(stop_on_feature=True), False, False, None),
    ],
)
def test_jackpot_and_feature_stop_it_where_chosen(
    settings: AutospinSettings, *, jackpot: bool, feature: bool, stop: Stop | None
) -> None:
    """What a round held ends autospin only where the player asked for that."""
    auto = Autospin(settings)
    auto.begun(10)
    auto.played(0, jackpot=jackpot, feature=feature)
    assert stop is auto.stopped


def test_the_player_stops_it_at_once() -> None:
    """STOP leaves no spin to come, and the reason stays the player's."""
    auto = Autospin(AutospinSettings(spins=5, single_win_cents=1))
    auto.begun(10)
    auto.stop()
    auto.played(100, jackpot=True, feature=True)
    assert auto.refusal(10, 1000) is Stop.BY_PLAYER


def test_too_little_credit_stops_it() -> None:
    """Nothing is staked that is not there."""
    assert Autospin(AutospinSettings()).refusal(100, 99) is Stop.CREDIT


@pytest.mark.parametrize("wrong", [{"spins": 0}, {"spins": 1001}, {"loss_limit_cents": 0}, {"single_win_cents": -1}])
def test_settings_that_cannot_be_played_are_refused(wrong: dict[str, int]) -> None:
    """The error names the field."""
    with pytest.raises(AutospinSettingsError, match=next(iter(wrong))):
        AutospinSettings(**wrong)  # type: ignore[arg-type]
