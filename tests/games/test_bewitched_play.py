"""Bewitched's rule page, sentence by sentence, played through the production generator."""

import msgspec
import pytest

from gamekit.beats import (
    AnswerError,
    Begin,
    FreeSpinBegins,
    FreeSpinsEnded,
    FreeSpinsWon,
    JackpotWon,
    LineWin,
    Pick,
    ReelsLanded,
    ScatterWin,
)
from gamekit.play import Answer, Claim, Offer, Stake, Step
from games.bewitched import GAME
from games.bewitched.pays import (
    BATTLE_SPINS,
    LINE_PAYS,
    LINES,
    MERLIN,
    OWL,
    SYMBOLS,
    VIALS_SHOWN,
    WITCHES,
    WITCHES_PAYS,
)
from games.bewitched.potions import FREE_SPINS, JACKPOT, MONEY, potion_weights
from games.bewitched.steps import Battle, MerlinCame, PotionBrewed, VialTaken
from games.bewitched.strips import REELS
from tests.games.bewitched_table import (
    LOST,
    MOONS,
    NOTHING,
    ONE_LINE,
    WON,
    first_choice,
    jackpot,
    middle_row,
    money,
    play_round,
    specials,
    spins,
    stop_showing,
)
from tests.games.table import Luck, Script, beats, play_out, won
from tests.games.views import most_in_view

THREE_MOONS = LINE_PAYS["moon"][3]
SHORTEST = min(BATTLE_SPINS.values())


def of(steps: list[Step], *kinds: type[Step]) -> list[Step]:
    return [step for step in steps if isinstance(step, kinds)]


def test_one_to_fifteen_lines_of_one_to_ten_coins() -> None:
    """A player can bet one to ten coins on each of one to fifteen lines, on five reels of three rows: 150 bets."""
    assert tuple(range(1, 16)) == GAME.line_counts
    assert tuple(range(1, 11)) == GAME.coins_per_line
    assert (GAME.reels, GAME.rows) == (5, 3)
    assert len(GAME.stakes()) == 150


@pytest.mark.parametrize("symbol", [symbol for symbol in LINE_PAYS if symbol != OWL])
def test_the_owl_stands_for_every_line_symbol(symbol: str) -> None:
    """An owl between two of a symbol completes three of it."""
    other = "books" if symbol == "king" else "king"
    steps = play_round(middle_row(symbol, OWL, symbol, other, other))
    assert of(steps, LineWin) == [LineWin(1, symbol, 3, coins=LINE_PAYS[symbol][3])]


def test_the_owl_stands_for_no_witches() -> None:
    """A scatter and an owl in view are one scatter, which is no win."""
    stops = (*NOTHING[:3], stop_showing(3, OWL, 1), stop_showing(4, WITCHES, 0))
    assert play_round(stops) == [ReelsLanded(stops)]


def test_the_owl_stands_for_no_merlin() -> None:
    """Two Merlins and an owl between them start no bonus."""
    stops = (stop_showing(0, MERLIN, 1), stop_showing(1, OWL, 1), stop_showing(2, MERLIN, 1), *NOTHING[3:])
    assert play_round(stops) == [ReelsLanded(stops)]


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_the_owl_pays_for_itself(count: int) -> None:
    """Two or more owls from reel 1 are a win of their own."""
    row = [OWL] * count + ["ace", "ten", "ten"][: 5 - count]
    (win,) = of(play_round(middle_row(*row)), LineWin)
    assert win == LineWin(1, OWL, count, coins=LINE_PAYS[OWL][count])


def test_only_the_highest_win_of_a_line_is_paid() -> None:
    """Three owls before a ten pay as owls, not as four tens, and not both."""
    steps = play_round(middle_row(OWL, OWL, OWL, "ten", "king"))
    assert of(steps, LineWin) == [LineWin(1, OWL, 3, coins=LINE_PAYS[OWL][3])]


def test_lines_pay_from_left_to_right() -> None:
    """Four moons from reel 2 pay nothing; three moons before a gap pay as three."""
    assert of(play_round(middle_row("ace", "moon", "moon", "moon", "moon")), LineWin) == []
    steps = play_round(middle_row("moon", "moon", "moon", "king", "moon"))
    assert of(steps, LineWin) == [LineWin(1, "moon", 3, coins=THREE_MOONS)]


def test_wins_on_different_selected_lines_are_added() -> None:
    """A window with wins on several lines pays each of the lines played once, and no other."""
    stops = (stop_showing(0, OWL, 1), stop_showing(1, OWL, 0), stop_showing(2, "moon", 1), *NOTHING[3:])
    fifteen = of(play_round(stops, Stake(lines=15, coins_per_line=1)), LineWin)
    numbers = [win.line for win in fifteen if isinstance(win, LineWin)]
    assert sorted(set(numbers)) == numbers
    assert numbers == [6, 11]
    for lines in range(1, 16):
        played = of(play_round(stops, Stake(lines=lines, coins_per_line=1)), LineWin)
        assert played == fifteen[: len([number for number in numbers if number <= lines])]


@pytest.mark.parametrize("coins", [1, 7, 10])
def test_line_wins_are_times_coins_per_line(coins: int) -> None:
    """Three moons pay their paytable amount times the coins on the line."""
    steps = play_round(MOONS, Stake(lines=1, coins_per_line=coins))
    assert of(steps, LineWin) == [LineWin(1, "moon", 3, coins=THREE_MOONS * coins)]


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_two_to_five_scatters_pay_times_the_bet_and_fight(count: int) -> None:
    """Scatters anywhere pay their amount times lines x coins, and the witches battle."""
    stops = specials(witches=count)
    steps = play_round([*stops, LOST], Stake(lines=1, coins_per_line=6))
    cells = tuple((reel, 0) for reel in range(5 - count, 5))
    assert steps == [
        ReelsLanded(stops),
        ScatterWin(WITCHES, count, cells, coins=WITCHES_PAYS[count] * 6),
        Battle(won=False, spins=0),
    ]


def test_one_scatter_is_no_win() -> None:
    """One scatter pays nothing and starts no battle."""
    assert len(play_round(specials(witches=1))) == 1


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_a_battle_won_gives_free_spins(count: int) -> None:
    """The number of scatters says how many; each begins with a press, on stops drawn only after it."""
    total = BATTLE_SPINS[count]
    draw = Script([*specials(witches=count), WON, *NOTHING * total])
    drawn: list[int] = []

    def press(_offer: Offer) -> int:
        drawn.append(len(draw.bounds))
        return 0

    steps = play_out(ONE_LINE, draw, press, GAME)
    assert draw.spent
    assert Battle(won=True, spins=total) in steps
    assert FreeSpinsWon(total) in steps
    assert drawn == [6 + 5 * number for number in range(total)]
    assert of(steps, FreeSpinBegins) == [FreeSpinBegins(number, total) for number in range(1, total + 1)]
    assert steps[-1] == FreeSpinsEnded(total, 0)


def test_a_battle_is_even_and_knows_no_witch() -> None:
    """One draw of two decides, and the play does not get the witch that the player has picked."""
    draw = Script([*specials(witches=2), LOST])
    play_out(ONE_LINE, draw, first_choice, GAME)
    assert draw.bounds == [*REELS.lengths, 2]
    assert {field.name for field in msgspec.structs.fields(Stake)} == {
        "lines",
        "coins_per_line",
        "coin_value_cents",
        "price",
        "gamble_cap_cents",
    }
    assert GAME.memory_type is None


@pytest.mark.requirement("R2")
@pytest.mark.parametrize("count", [3, 4, 5])
def test_three_or_more_merlins_have_three_vials_combined(count: int) -> None:
    """Merlins anywhere let the player take three of nine vials; what they become is drawn after the third."""
    stops = specials(merlins=count)
    draw = Script([*stops, money(40)])
    chosen = iter([8, 0, 4])
    seen: list[tuple[int, int, tuple[int, ...]]] = []

    def choose(offer: Offer) -> int:
        assert isinstance(offer, Pick)
        assert offer.pick
        seen.append((len(draw.bounds), offer.left, offer.choices))
        return next(chosen)

    steps = play_out(Stake(lines=1, coins_per_line=1), draw, choose, GAME)
    assert draw.spent
    assert steps[1] == MerlinCame(count, tuple((reel, 0) for reel in range(count)), VIALS_SHOWN, 3)
    assert of(steps, VialTaken) == [VialTaken(8), VialTaken(0), VialTaken(4)]
    assert seen == [
        (5, 3, (0, 1, 2, 3, 4, 5, 6, 7, 8)),
        (5, 2, (0, 1, 2, 3, 4, 5, 6, 7)),
        (5, 1, (1, 2, 3, 4, 5, 6, 7)),
    ]
    assert steps[-1] == PotionBrewed(MONEY, 40, coins=40)


def test_two_merlins_start_nothing() -> None:
    """Two Merlins are no bonus and pay nothing."""
    assert len(play_round(specials(merlins=2))) == 1


def test_the_vials_chosen_change_nothing() -> None:
    """Whichever vials are combined, the same draw makes the same potion."""
    potions = set()
    for first in range(VIALS_SHOWN):
        chosen = iter([first, (first + 1) % VIALS_SHOWN, (first + 5) % VIALS_SHOWN])
        steps = play_round([*specials(merlins=3), money(75)], choose=lambda _offer, chosen=chosen: next(chosen))  # type: ignore[misc]
        potions.add(steps[-1])
    assert potions == {PotionBrewed(MONEY, 75, coins=75)}


@pytest.mark.parametrize("amount", [15, 20, 300])
def test_money_is_times_the_whole_bet(amount: int) -> None:
    """Money of 15 to 300 is paid times the whole bet of the spin that brought Merlin."""
    stake = Stake(lines=15, coins_per_line=10)
    steps = play_round([*specials(merlins=5), money(amount, 150)], stake, first_choice)
    assert of(steps, PotionBrewed) == [PotionBrewed(MONEY, amount, coins=amount * 150)]


@pytest.mark.parametrize("amount", [15, 60])
def test_a_potion_of_free_spins_is_played(amount: int) -> None:
    """15 to 60 free spins follow where the potion is free spins; it pays nothing else."""
    steps = play_round([*specials(merlins=3), spins(amount), *NOTHING * amount])
    assert PotionBrewed(FREE_SPINS, amount) in steps
    assert FreeSpinsWon(amount) in steps
    assert steps[-1] == FreeSpinsEnded(amount, 0)
    assert won(steps) == 0


def test_the_potions_are_those_of_the_rules() -> None:
    """Money is 15 to 300 times the bet, free spins are 15 to 60, and the jackpot is there at every bet."""
    for stake in GAME.stakes():
        weights = potion_weights(stake.coins)
        amounts = {kind: [potion.amount for potion in weights if potion.kind == kind] for kind in (MONEY, FREE_SPINS)}
        assert (min(amounts[MONEY]), max(amounts[MONEY])) == (15, 300)
        assert (min(amounts[FREE_SPINS]), max(amounts[FREE_SPINS])) == (15, 60)
        assert sum(potion.kind == JACKPOT for potion in weights) == 1
        assert min(weights.values()) > 0


def test_the_jackpot_is_what_the_pool_answers() -> None:
    """The play claims the pool, and pays the whole coins that it answers, whatever they are."""
    steps = play_round(
        [*specials(merlins=3), jackpot()], choose=lambda offer: 7654 if isinstance(offer, Claim) else offer.choices[0]
    )
    assert steps[-3:] == [PotionBrewed(JACKPOT, 0), Claim(), JackpotWon(coins=7654)]


def test_free_spins_double_line_wins_alone() -> None:
    """In free spins three moons pay twice; scatters, potions and the jackpot pay what they always do."""
    stake = Stake(lines=1, coins_per_line=2)
    values = [
        *specials(witches=3),
        WON,
        *MOONS,
        *(*specials(witches=2), LOST),
        *(*specials(merlins=3), money(20, 2)),
        *(*specials(merlins=4), jackpot(2)),
        *NOTHING * (BATTLE_SPINS[3] - 4),
    ]
    steps = play_round(values, stake)
    free = steps[steps.index(FreeSpinsWon(BATTLE_SPINS[3])) :]
    assert of(free, LineWin) == [LineWin(1, "moon", 3, 2, coins=THREE_MOONS * 2 * 2)]
    assert [step.coins for step in beats(free) if isinstance(step, ScatterWin)] == [WITCHES_PAYS[2] * 2]
    assert PotionBrewed(MONEY, 20, coins=40) in free
    assert JackpotWon(coins=2000) in free
    total = THREE_MOONS * 4 + WITCHES_PAYS[2] * 2 + 40 + 2000
    assert steps[-1] == FreeSpinsEnded(BATTLE_SPINS[3], total)


def test_free_spins_play_the_bet_that_won_them() -> None:
    """A free spin plays the lines and coins of the paid spin: a win on line 2 pays nothing with one line."""
    second = tuple(stop_showing(reel, symbol, 0) for reel, symbol in enumerate(["books"] * 3 + ["king", "queen"]))
    wins = {}
    for lines in (1, 2):
        values = [*specials(witches=2), WON, *second, *NOTHING * (SHORTEST - 1)]
        steps = play_round(values, Stake(lines=lines, coins_per_line=3))
        wins[lines] = [win.coins for win in beats(steps) if isinstance(win, LineWin) and win.line == 2]
    assert wins == {1: [], 2: [LINE_PAYS["books"][3] * 3 * 2]}


def test_free_spins_won_in_free_spins_queue_behind() -> None:
    """Battles and Merlin in a free spin add to the queue, again and again; the first ones are played first."""
    values = [
        *(*specials(witches=2), WON),
        *(*specials(witches=2), WON),
        *(*specials(merlins=3), spins(15)),
        *NOTHING * (2 * SHORTEST + 15 - 2),
    ]
    steps = play_round(values)
    assert of(steps, FreeSpinsWon) == [
        FreeSpinsWon(SHORTEST),
        FreeSpinsWon(SHORTEST, retrigger=True),
        FreeSpinsWon(15, retrigger=True),
    ]
    assert [step.total for step in steps if isinstance(step, FreeSpinBegins)][:4] == [
        SHORTEST,
        2 * SHORTEST,
        2 * SHORTEST + 15,
        2 * SHORTEST + 15,
    ]
    assert steps[-1] == FreeSpinsEnded(2 * SHORTEST + 15, 2 * WITCHES_PAYS[2] - WITCHES_PAYS[2])


def test_free_spins_have_no_limit() -> None:
    """A hundred retriggers in a row are all played."""
    again = [*specials(witches=2), WON]
    steps = play_round([*again * 101, *NOTHING * (101 * SHORTEST - 100)])
    assert steps[-1] == FreeSpinsEnded(101 * SHORTEST, 100 * WITCHES_PAYS[2])


def test_the_scatters_spins_queue_before_merlins() -> None:
    """Where one spin brings both, line wins come first, then scatter and battle, then Merlin, then all free spins."""
    stops = specials(merlins=3, witches=2)
    steps = play_round([*stops, WON, spins(15), *NOTHING * (SHORTEST + 15)])
    kinds = [type(step) for step in steps[: steps.index(FreeSpinsWon(15)) + 2]]
    picks = [Pick, VialTaken] * 3
    assert kinds == [
        ReelsLanded,
        ScatterWin,
        Battle,
        FreeSpinsWon,
        MerlinCame,
        *picks,
        PotionBrewed,
        FreeSpinsWon,
        Begin,
    ]
    assert of(steps, FreeSpinsWon) == [FreeSpinsWon(SHORTEST), FreeSpinsWon(15)]


def test_every_win_is_added_to_the_total() -> None:
    """Scatter, potion and free-spin wins of a round are added up, and the end repeats the free spins' own."""
    values = [
        *specials(merlins=3, witches=2),
        *(WON, money(15)),
        *MOONS,
        *NOTHING * (SHORTEST - 1),
    ]
    steps = play_round(values)
    assert steps[-1] == FreeSpinsEnded(SHORTEST, THREE_MOONS * 2)
    assert won(steps) == WITCHES_PAYS[2] + 15 + THREE_MOONS * 2


def test_the_same_draws_and_answers_give_the_same_beats() -> None:
    """A round fed with its recorded draws and answers asks for the same bounds and yields the same encoded steps."""

    def answer(luck: Luck, offer: Offer) -> int:
        if isinstance(offer, Claim):
            luck.answers.append(2345)
            return 2345
        return luck.choose(offer)

    answered = 0
    for seed, stake in enumerate(GAME.stakes() * 10):
        luck = Luck(seed)
        first = play_out(stake, luck.draw, lambda offer, luck=luck: answer(luck, offer), GAME)  # type: ignore[misc]
        script = Script([value for _, value in luck.draws])
        answers = list(luck.answers)
        again = play_out(stake, script, lambda _offer, answers=answers: answers.pop(0), GAME)  # type: ignore[misc]
        assert msgspec.json.encode(first) == msgspec.json.encode(again)
        assert [bound for bound, _ in luck.draws] == script.bounds
        assert not answers
        answered += len(luck.answers)
    assert answered > 0


@pytest.mark.parametrize("answer", [None, Answer(9), Answer(-1), Answer(0)])
def test_an_answer_that_was_not_offered_is_refused(answer: Answer | None) -> None:
    """A pick must name a vial that has not been taken; anything else raises before a draw is made."""
    draw = Script(specials(merlins=3))
    play = GAME.play(ONE_LINE, draw, None)
    while not isinstance(next(play), Pick):
        pass
    assert play.send(Answer(0)) == VialTaken(0)
    assert isinstance(next(play), Pick)
    with pytest.raises(AnswerError, match="an offer of the choices"):
        play.send(answer)
    assert draw.spent


def test_the_strips_are_as_the_rules_need_them() -> None:
    """No symbol occurs twice in a window, every reel has all: at most five scatters, at most five Merlins."""
    for strip in REELS.strips:
        assert set(strip) == set(SYMBOLS)
        assert [most_in_view(strip, symbol, REELS.rows) for symbol in SYMBOLS] == [1] * len(SYMBOLS)
        assert (strip.count(WITCHES), strip.count(MERLIN)) == (1, 1)


def test_the_lines_differ() -> None:
    """The fifteen lines are fifteen different ones."""
    assert len(set(LINES)) == len(LINES) == 15
