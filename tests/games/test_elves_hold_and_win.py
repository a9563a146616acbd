"""Hold and Win: what stays, when it ends, and in which order everything is added, multiplied and doubled."""

import msgspec
import pytest

from controller.rounds.engine import Round
from gamekit.beats import Continue
from gamekit.double_up import CardTurned
from gamekit.hold_and_win import CellsLanded, HoldRules, RespinsEnded
from gamekit.play import Beat, Offer, Step
from games.mystery_elves import GAME
from games.mystery_elves.bonuses import (
    Bonus,
    BonusesLanded,
    BonusTurned,
    HoldAndWinPaid,
    MultiplyingOpened,
    MysteryOpened,
)
from games.mystery_elves.pays import (
    AWARDS,
    CARRIED,
    CARRIED_BESIDE_MULTIPLYING,
    GRAND,
    MAJOR,
    MINI,
    MINOR,
    MULTIPLIERS,
    MULTIPLYING,
    MYSTERY,
    VALUES,
)
from games.mystery_elves.strips import HOLD_RULES, REELS
from tests.games.elves_table import (
    BOUGHT,
    LANDS,
    MISSES,
    SIX,
    STAKE,
    carry,
    cells_of,
    collect,
    full,
    misses,
    play_round,
    ticket,
)
from tests.games.table import Luck, Script, play_out, won

SHORT = misses(9, 9, 9)
DECODER: msgspec.json.Decoder[Step] = msgspec.json.Decoder(GAME.step_type)


def settled(carried: list[int], *draws: list[int]) -> tuple[list[Step], int]:
    """Play six symbols that carry what is given and three empty respins; return the end's steps and bets paid."""
    steps = play_round(SIX, carry(*carried), SHORT, *draws)
    kinds = (MysteryOpened, MultiplyingOpened, BonusTurned, HoldAndWinPaid)
    end: list[Step] = [step for step in steps if isinstance(step, kinds)]
    paid = end[-1]
    assert isinstance(paid, HoldAndWinPaid)
    return end, paid.bets


def turn(*values: int) -> list[int]:
    return [ticket(VALUES, value) for value in values]


def award(*awards: int) -> list[int]:
    return [ticket(AWARDS, amount) for amount in awards]


def test_new_symbols_stay_and_set_the_respins_back_to_three() -> None:
    """Two empty respins leave one; a symbol that lands then gives three again, and its cell spins no more."""
    lands = [*[MISSES] * 8, LANDS]
    steps = play_round(SIX, carry(*[1] * 6), misses(9, 9), lands, carry(5), misses(8, 8, 8))
    assert [step.left for step in steps if isinstance(step, Continue)] == [3, 2, 1, 3, 2, 1]
    respins = [step for step in steps if isinstance(step, CellsLanded)]
    assert [len(respin.cells) for respin in respins] == [9, 9, 9, 8, 8, 8]
    assert [respin.left for respin in respins] == [2, 1, 3, 2, 1, 0]
    assert BonusesLanded((Bonus((4, 2), 5),)) in steps
    assert RespinsEnded(7) in steps
    assert HoldAndWinPaid(11, full=False, coins=110) in steps


def test_the_triggering_symbols_stay_in_place() -> None:
    """No respin spins a cell with a bonus symbol, and every other cell spins a reel of its own."""
    steps = play_round(SIX, carry(*[1] * 6), SHORT)
    held = set(cells_of(SIX))
    for respin in (step for step in steps if isinstance(step, CellsLanded)):
        assert set(respin.cells) == set(HOLD_RULES.cells) - held
        assert len(respin.stops) == len(respin.cells)


def test_fifteen_symbols_end_the_feature_at_once() -> None:
    """The respin that fills the last cell is the last one, whatever respins were left; everything counts double."""
    steps = play_round(SIX, carry(*[1] * 6), full(HOLD_RULES, 6), carry(*[2] * 9))
    assert len([step for step in steps if isinstance(step, CellsLanded)]) == 1
    assert HoldAndWinPaid(2 * (6 + 18), full=True, coins=20 * (6 + 18)) in steps


def test_only_the_first_respin_waits_for_a_press_and_none_draws_before() -> None:
    """At the first offer the stops and what six symbols carry have been drawn, at the second nine cells more."""
    draw = Script([*SIX, *carry(*[1] * 6), *SHORT])
    seen: list[int] = []
    waits: list[bool] = []

    def choose(offer: Offer) -> int:
        seen.append(len(draw.bounds))
        waits.append(offer.waits)
        return collect(offer)

    play_out(STAKE, draw, choose, GAME)
    assert seen == [11, 20, 29, 38]
    assert waits == [True, False, False, True]  # the last one is the gamble


def test_other_reels_are_used() -> None:
    """A cell's reel is no reel of the paid spin: 18 stops, one of them a bonus symbol."""
    assert (len(HOLD_RULES.strip), HOLD_RULES.strip.count(HOLD_RULES.symbol)) == (18, 1)
    assert HOLD_RULES.strip not in REELS.strips


def test_what_a_symbol_carries_is_drawn_from_left_to_right_and_top_to_bottom() -> None:
    """The draws of symbols that land together go to their cells reel by reel, from the top."""
    steps = play_round(SIX, carry(1, 2, 3, 4, 5, 6), SHORT)
    landed = next(step for step in steps if isinstance(step, BonusesLanded))
    assert [bonus.carries for bonus in landed.bonuses] == [1, 2, 3, 4, 5, 6]
    assert [bonus.cell for bonus in landed.bonuses] == sorted(cells_of(SIX))


def test_one_multiplying_at_most() -> None:
    """Once one has landed, in the spin or in a respin, no further draw can bring another: the table holds none."""
    draw = Script([*SIX, *carry(MULTIPLYING, *[1] * 5), LANDS, *[MISSES] * 8, *carry(2), *misses(8, 8, 8), 0, *turn(1)])
    play_out(STAKE, draw, collect, GAME)
    assert draw.spent
    drawn = [bound for bound in draw.bounds if bound in (CARRIED.total, CARRIED_BESIDE_MULTIPLYING.total)]
    assert drawn == [CARRIED.total, *[CARRIED_BESIDE_MULTIPLYING.total] * 6]
    assert MULTIPLYING not in CARRIED_BESIDE_MULTIPLYING.weights
    most = 0
    for seed in range(400):
        steps = play_out(BOUGHT, Luck(seed).draw, collect, GAME)
        most = max(most, len([step for step in steps if isinstance(step, MultiplyingOpened)]))
    assert most == 1


@pytest.mark.parametrize(("amount", "name"), [(MINI, "mini"), (MINOR, "minor"), (MAJOR, "major"), (GRAND, "grand")])
def test_mystery_awards_a_special_win(amount: int, name: str) -> None:
    """A Mystery draws MINI, MINOR, MAJOR or GRAND, which adds to the values, and then turns into a value itself."""
    end, bets = settled([MYSTERY, 1, 1, 1, 1, 1], award(amount), turn(18))
    cell = cells_of(SIX)[0]
    assert end[:2] == [MysteryOpened(cell, name, amount), BonusTurned(cell, 18)]
    assert bets == 5 + amount + 18


def test_a_second_grand_becomes_major() -> None:
    """GRAND falls once at most: the next draw of it awards MAJOR."""
    end, bets = settled([MYSTERY, MYSTERY, MYSTERY, 1, 1, 1], award(GRAND, GRAND, GRAND), turn(1, 1, 1))
    assert [step.award for step in end if isinstance(step, MysteryOpened)] == ["grand", "major", "major"]
    assert bets == 3 + GRAND + 2 * MAJOR + 3


@pytest.mark.parametrize("multiplier", [2, 3, 4, 5])
def test_multiplying_multiplies_values_and_awards_and_nothing_that_they_turn_into(multiplier: int) -> None:
    """x2 to x5 hold for values and Mystery awards; what both functions turn into is added afterwards."""
    drawn = [*award(MINOR), ticket(MULTIPLIERS, multiplier), *turn(10, 7)]
    end, bets = settled([4, MYSTERY, MULTIPLYING, 1, 1, 1], drawn)
    assert [type(step) for step in end[:4]] == [MysteryOpened, MultiplyingOpened, BonusTurned, BonusTurned]
    assert bets == multiplier * (7 + MINOR) + 10 + 7


def test_beside_grand_multiplying_is_two() -> None:
    """Where GRAND has fallen no multiplier is drawn: it is x2, in whatever order the two landed."""
    end, bets = settled([MULTIPLYING, 1, 1, 1, 1, MYSTERY], award(GRAND), turn(1, 1))
    assert [step.multiplier for step in end if isinstance(step, MultiplyingOpened)] == [2]
    assert bets == 2 * (4 + GRAND) + 2
    assert sorted(MULTIPLIERS.weights) == [2, 3, 4, 5]


def test_functions_act_at_the_end_of_the_feature() -> None:
    """Nothing is opened before the last respin has landed, and nothing of the feature is paid before that."""
    for seed in range(200):
        steps = play_out(BOUGHT, Luck(seed).draw, collect, GAME)
        ended = next(place for place, step in enumerate(steps) if isinstance(step, RespinsEnded))
        kinds = (MysteryOpened, MultiplyingOpened, BonusTurned, HoldAndWinPaid)
        assert [step for step in steps[:ended] if isinstance(step, kinds)] == []
        assert len([step for step in steps[ended:] if isinstance(step, HoldAndWinPaid)]) == 1


def test_fifteen_symbols_double_everything_with_the_values_turned_into() -> None:
    """The full window doubles values, awards multiplied, and what the functions turned into."""
    carried = carry(MYSTERY, MULTIPLYING, *[1] * 4, *[2] * 9)
    drawn = [*award(MINI), ticket(MULTIPLIERS, 3), *turn(10, 8)]
    steps = play_round(SIX, carried[:6], full(HOLD_RULES, 6), carried[6:], drawn)
    assert won(steps) == 10 * 2 * (3 * (4 + 18 + MINI) + 18)


def test_a_bought_features_win_is_times_one_bet() -> None:
    """The price is not the bet: a bought Hold and Win pays times the bet chosen."""
    luck = Luck(8)
    steps = play_out(BOUGHT, luck.draw, collect, GAME)
    paid = next(step for step in steps if isinstance(step, HoldAndWinPaid))
    assert paid.coins == 10 * paid.bets


def test_the_controller_credits_every_cent_once() -> None:
    """Segment by segment no cent is taken back, and what a round credits is what its beats paid, gambles included."""
    gambled = 0
    for seed in range(200):
        luck = Luck(seed)
        stake = msgspec.structs.replace(BOUGHT, coin_value_cents=seed % 800 + 1)
        played = Round(GAME, stake, "null")
        answer = None
        paid = 0
        credited = 0
        while not played.ended:
            credited += played.advance(answer, luck.draw).win_cents
            answer = None if played.offer is None else luck.choose(played.offer)
            for packet in played.steps:
                step = DECODER.decode(packet)
                paid += step.coins * stake.coin_value_cents + step.cents if isinstance(step, Beat) else 0
                gambled += isinstance(step, CardTurned)
        assert credited == paid >= 0
    assert gambled > 100


def test_rules_that_cannot_be_played_are_refused() -> None:
    """No respins, or a strip without the symbol or with nothing else, raise."""
    with pytest.raises(ValueError, match="0 respins cannot be played"):
        HoldRules(1, 1, ("a", "b"), "a", 0)
    for strip in (("a", "a"), ("b", "b")):
        with pytest.raises(ValueError, match="stops with a and stops without"):
            HoldRules(1, 1, strip, "a")
