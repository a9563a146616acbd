"""Neptune's rule page, sentence by sentence, played through the production generator."""

from fractions import Fraction

import msgspec
import pytest

from gamekit.beats import (
    AnswerError,
    Begin,
    Continue,
    FreeSpinBegins,
    FreeSpinsEnded,
    FreeSpinsWon,
    LineWin,
    Pick,
    PickOpened,
    PicksEnded,
    PicksWon,
    ReelsLanded,
    ScatterWin,
)
from gamekit.play import Answer, Offer, Stake, Step
from games.neptune import GAME
from games.neptune.pays import CHEST_TABLE, LINE_PAYS, LINES, MERMAID, MERMAID_PAYS, NEPTUNE, SYMBOLS, TREASURE
from games.neptune.strips import REELS
from tests.games.table import NOTHING, Luck, Script, beats, mermaids, middle_row, play_out, stop_showing, won
from tests.games.views import most_in_view

ONE_LINE = Stake(lines=1, coins_per_line=1)
REGULAR = [symbol for symbol in LINE_PAYS if symbol != NEPTUNE]


def spin(stake: Stake, *stops: int) -> list[Step]:
    """Play a round that is over after its first spin."""
    draw = Script(stops)
    steps = play_out(stake, draw)
    assert draw.spent
    return steps


def line_wins(steps: list[Step]) -> list[LineWin]:
    return [step for step in steps if isinstance(step, LineWin)]


def test_one_to_fifteen_lines_of_one_to_five_coins() -> None:
    """A player can bet up to five coins on each of fifteen lines: 75 bets."""
    assert tuple(range(1, 16)) == GAME.line_counts
    assert GAME.coins_per_line == (1, 2, 3, 4, 5)
    assert len(GAME.stakes()) == 75


@pytest.mark.parametrize("symbol", REGULAR)
def test_neptune_stands_for_every_regular_symbol(symbol: str) -> None:
    """Neptune between two of a regular symbol completes three of it."""
    other = "clam" if symbol == "king" else "king"
    steps = spin(ONE_LINE, *middle_row(symbol, NEPTUNE, symbol, other, other))
    assert [LineWin(1, symbol, 3, coins=LINE_PAYS[symbol][3])] == line_wins(steps)


def test_neptune_stands_for_no_mermaid() -> None:
    """Two Mermaids and a Neptune in view are two Mermaids."""
    first, second, *_ = mermaids(2)
    stops = (first, second, *middle_row("jewel_box", "clam", NEPTUNE, "ace", "king")[2:])
    (scatter,) = (step for step in spin(ONE_LINE, *stops) if isinstance(step, ScatterWin))
    assert scatter.count == 2


def test_neptune_stands_for_no_treasure() -> None:
    """Treasure, Neptune, Treasure starts no treasure."""
    steps = spin(ONE_LINE, *middle_row(TREASURE, NEPTUNE, TREASURE, TREASURE, TREASURE))
    assert len(steps) == 1


@pytest.mark.parametrize(("count", "pay"), [(2, 5), (3, 200), (4, 2000), (5, 7500)])
def test_neptune_pays_for_itself(count: int, pay: int) -> None:
    """Two or more Neptunes from reel 1 are a win of their own."""
    row = [NEPTUNE] * count + [TREASURE] * (5 - count)
    assert [LineWin(1, NEPTUNE, count, coins=pay)] == line_wins(spin(ONE_LINE, *middle_row(*row)))


def test_only_the_highest_win_of_a_line_is_paid() -> None:
    """Three Neptunes before a ten pay 200 as Neptunes, not 15 as tens, and not both."""
    steps = spin(ONE_LINE, *middle_row(NEPTUNE, NEPTUNE, NEPTUNE, "ten", "king"))
    assert [LineWin(1, NEPTUNE, 3, coins=200)] == line_wins(steps)


def test_wins_start_on_the_first_reel_and_have_no_gap() -> None:
    """Four clams from reel 2 pay nothing; three clams before a gap pay as three."""
    assert line_wins(spin(ONE_LINE, *middle_row("ace", "clam", "clam", "clam", "clam"))) == []
    assert [LineWin(1, "clam", 3, coins=20)] == line_wins(
        spin(ONE_LINE, *middle_row("clam", "clam", "clam", "king", "clam"))
    )


def test_only_enabled_lines_pay() -> None:
    """A win on line 2 pays with two lines and not with one."""
    stops = tuple(stop_showing(reel, symbol, 0) for reel, symbol in enumerate(["clam"] * 3 + ["king", "queen"]))
    one = spin(Stake(lines=1, coins_per_line=1), *stops)
    two = spin(Stake(lines=2, coins_per_line=1), *stops)
    assert [LineWin(2, "clam", 3, coins=20)] == line_wins(two)[len(line_wins(one)) :]


def test_regular_wins_are_times_coins_per_line() -> None:
    """Three clams at five coins pay 5 x 20, on whatever number of lines."""
    steps = spin(Stake(lines=1, coins_per_line=5), *middle_row("clam", "clam", "clam", "king", "queen"))
    assert [LineWin(1, "clam", 3, coins=100)] == line_wins(steps)


def test_two_mermaids_pay_times_the_whole_bet() -> None:
    """Two Mermaids anywhere pay 2 x lines x coins per line, and start nothing."""
    stake = Stake(lines=1, coins_per_line=5)
    steps = spin(stake, *mermaids(2))
    assert [MERMAID_PAYS[2] * stake.coins] == [step.coins for step in steps if isinstance(step, ScatterWin)]
    assert not any(isinstance(step, FreeSpinsWon) for step in steps)


def test_one_mermaid_is_no_win() -> None:
    """One Mermaid alone pays nothing."""
    assert beats(spin(ONE_LINE, *mermaids(1)))[1:] == []


def test_scatter_and_line_wins_are_both_paid() -> None:
    """A line win and two Mermaids in one spin are added up; the cells are those of the Mermaids."""
    stops = (
        *middle_row("clam", "clam", "clam")[:3],
        stop_showing(3, MERMAID, 0, mermaid=True),
        stop_showing(4, MERMAID, 2, mermaid=True),
    )
    steps = spin(ONE_LINE, *stops)
    assert [
        ReelsLanded(stops),
        LineWin(1, "clam", 3, coins=20),
        ScatterWin(MERMAID, 2, ((3, 0), (4, 2)), coins=2),
    ] == steps


@pytest.mark.parametrize("count", [3, 4, 5])
def test_three_or_more_mermaids_give_ten_free_spins(count: int) -> None:
    """Ten free spins each begin with a press, on stops drawn only after it, and the end says what they paid."""
    draw = Script([*mermaids(count), *NOTHING * 10])
    drawn: list[int] = []

    def press(_offer: Offer) -> int:
        drawn.append(len(draw.bounds))
        return 0

    steps = play_out(ONE_LINE, draw, press)
    assert draw.spent
    assert [5 + 5 * number for number in range(10)] == drawn
    offers = [step for step in steps if isinstance(step, Continue)]
    assert [Begin(10), *(Continue(left) for left in range(9, 0, -1))] == offers
    assert [FreeSpinBegins(number, 10) for number in range(1, 11)] == [
        step for step in steps if isinstance(step, FreeSpinBegins)
    ]
    assert MERMAID_PAYS[count] == won(steps)
    assert FreeSpinsEnded(10, 0) == steps[-1]


def test_free_spins_triple_line_wins_alone() -> None:
    """In free spins three clams pay 3 x 20; two Mermaids and the treasure pay what they always do."""
    stake = Stake(lines=1, coins_per_line=2)
    chests = [0, 0, 0]
    draw = Script(
        [
            *mermaids(3),
            *middle_row("clam", "clam", "clam", "king", "queen"),
            *mermaids(2),
            *middle_row(TREASURE, TREASURE, TREASURE, "king", "queen"),
            *chests,
            *NOTHING * 7,
        ]
    )
    steps = play_out(stake, draw)
    free = beats(steps)[beats(steps).index(FreeSpinsWon(10)) :]
    lowest = min(CHEST_TABLE.weights)
    assert [LineWin(1, "clam", 3, 3, coins=120)] == [step for step in free if isinstance(step, LineWin)]
    assert [2 * stake.coins] == [step.coins for step in free if isinstance(step, ScatterWin)]
    assert [lowest * 2] * 3 == [step.coins for step in free if isinstance(step, PickOpened)]
    assert FreeSpinsEnded(10, 120 + 4 + 6 * lowest) == steps[-1]


def test_free_spins_play_the_bet_that_won_them() -> None:
    """A free spin plays the lines and coins of the paid spin: a win on line 2 pays nothing with one line."""
    second = tuple(stop_showing(reel, symbol, 0) for reel, symbol in enumerate(["clam"] * 3 + ["king", "queen"]))
    wins = {}
    for lines in (1, 2):
        steps = play_out(Stake(lines=lines, coins_per_line=1), Script([*mermaids(3), *second, *NOTHING * 9]))
        wins[lines] = [step for step in line_wins(steps) if step.line == 2 and step.symbol == "clam"]
    assert {1: [], 2: [LineWin(2, "clam", 3, 3, coins=60)]} == wins


def test_free_spins_can_be_won_again() -> None:
    """Three Mermaids in a free spin add ten, which queue behind; the bet is not staked again."""
    draw = Script([*mermaids(3), *mermaids(3), *NOTHING * 19])
    steps = play_out(ONE_LINE, draw)
    assert draw.spent
    assert [FreeSpinsWon(10), FreeSpinsWon(10, retrigger=True)] == [
        step for step in steps if isinstance(step, FreeSpinsWon)
    ]
    assert FreeSpinsEnded(20, MERMAID_PAYS[3]) == steps[-1]


@pytest.mark.parametrize("count", [3, 4, 5])
def test_as_many_chests_as_treasures(count: int) -> None:
    """Treasures in a line from reel 1 give that many picks among eight chests; each pays as drawn, times the coins."""
    row = [TREASURE] * count + ["king", "queen"][: 5 - count]
    values = list(range(0, 1000, 200))[:count]
    draw = Script([*middle_row(*row), *values])
    chosen = iter([7, 0, 3, 2, 6])
    steps = play_out(Stake(lines=1, coins_per_line=3), draw, lambda _offer: next(chosen))
    amounts = [CHEST_TABLE.draw(lambda _bound, value=value: value) * 3 for value in values]
    opened = [step for step in steps if isinstance(step, PickOpened)]
    assert PicksWon(1, TREASURE, count, 8) == steps[1]
    assert list(zip([7, 0, 3, 2, 6], amounts, strict=False)) == [(step.choice, step.coins) for step in opened]
    assert PicksEnded(sum(amounts)) == steps[-1]
    assert sum(amounts) == won(steps)


def test_a_chest_is_drawn_after_its_pick_and_the_closed_ones_hold_nothing() -> None:
    """Before each pick only the stops and the opened chests have been drawn; an opened chest is offered no more."""
    draw = Script([*middle_row(TREASURE, TREASURE, TREASURE, "king", "queen"), 0, 0, 0])
    seen: list[tuple[int, tuple[int, ...], int]] = []

    def choose(offer: Offer) -> int:
        assert isinstance(offer, Pick)
        assert offer.pick
        seen.append((len(draw.bounds), offer.choices, offer.left))
        return offer.choices[1]

    play_out(ONE_LINE, draw, choose)
    assert seen == [
        (5, (0, 1, 2, 3, 4, 5, 6, 7), 3),
        (6, (0, 2, 3, 4, 5, 6, 7), 2),
        (7, (0, 3, 4, 5, 6, 7), 1),
    ]
    assert draw.spent


def test_treasures_that_do_not_start_on_reel_one_start_nothing() -> None:
    """Four Treasures from reel 2 start no treasure; two from reel 1 neither."""
    assert len(spin(ONE_LINE, *middle_row("ace", TREASURE, TREASURE, TREASURE, TREASURE))) == 1
    assert len(spin(ONE_LINE, *middle_row(TREASURE, TREASURE, "king", TREASURE, TREASURE))) == 1


def test_treasures_beside_the_line_open_no_chest() -> None:
    """Three Treasures in a row from reel 1, and two more that are seen beside the line, open three chests."""
    stops = [*middle_row(TREASURE, TREASURE, TREASURE), *(stop_showing(reel, TREASURE, 0) for reel in (3, 4))]
    picks = [step for step in play_out(ONE_LINE, Script([*stops, 0, 0, 0])) if isinstance(step, PicksWon)]
    assert [column.count(TREASURE) for column in REELS.window(stops)] == [1] * 5
    assert picks == [PicksWon(1, TREASURE, 3, 8)]


def test_the_treasure_pays_2500_coins_at_most() -> None:
    """Five chests of the largest amount at five coins a line are 2,500 coins."""
    row = middle_row(*[TREASURE] * 5)
    steps = play_out(Stake(lines=1, coins_per_line=5), Script([*row, *[CHEST_TABLE.total - 1] * 5]))
    assert won(steps) == 2500


def test_line_scatter_and_treasure_come_in_this_order_before_the_free_spins() -> None:
    """Within a spin: reels, line wins, Mermaids, chests, and only then the free spins they won."""
    luck = Luck(5)
    rank = {ReelsLanded: 0, LineWin: 1, ScatterWin: 2, PicksWon: 3, Pick: 3, PickOpened: 3, PicksEnded: 3}
    for _ in range(3000):
        last = 0
        for step in play_out(GAME.stakes()[-1], luck.draw):
            here = rank.get(type(step), 4)
            assert here >= last or here == 0
            last = here


def test_the_same_draws_and_answers_give_the_same_beats() -> None:
    """A round fed with its recorded draws and answers asks for the same bounds and yields the same encoded steps."""
    answered = 0
    for seed, stake in enumerate(GAME.stakes() * 20):
        luck = Luck(seed)
        first = play_out(stake, luck.draw, luck.choose)
        script = Script([value for _, value in luck.draws])
        answers = list(luck.answers)
        again = play_out(stake, script, lambda _offer, answers=answers: answers.pop(0))  # type: ignore[misc]
        assert msgspec.json.encode(first) == msgspec.json.encode(again)
        assert [bound for bound, _ in luck.draws] == script.bounds
        assert not answers
        answered += len(luck.answers)
    assert answered > 0


def test_steps_survive_the_wire() -> None:
    """Every kind of step is decoded by the game's own type to what was sent."""
    decoder = msgspec.json.Decoder(GAME.step_type)
    draw = Script(
        [
            *mermaids(3),
            *middle_row(TREASURE, TREASURE, TREASURE, "king", "queen"),
            *[0, 0, 0],
            *middle_row("clam", "clam", "clam", "king", "queen"),
            *NOTHING * 8,
        ]
    )
    steps = play_out(ONE_LINE, draw)
    assert len({type(step) for step in steps}) == 12
    wire = [msgspec.json.encode(step) for step in steps]
    assert wire == [msgspec.json.encode(decoder.decode(packet)) for packet in wire]


@pytest.mark.parametrize("answer", [None, Answer(8), Answer(-1)])
def test_an_answer_that_was_not_offered_is_refused(answer: Answer | None) -> None:
    """A pick must name a closed chest; anything else raises before a draw is made."""
    draw = Script(middle_row(TREASURE, TREASURE, TREASURE, "king", "queen"))
    play = GAME.play(ONE_LINE, draw, None)
    while not isinstance(next(play), Pick):
        pass
    with pytest.raises(AnswerError, match="an offer of the choices"):
        play.send(answer)
    assert draw.spent


def test_the_end_totals_repeat_what_the_beats_paid() -> None:
    """Totals shown at the end of chests and free spins are the sums of their beats, at every bet."""
    luck = Luck(3)
    features = 0
    for stake in GAME.stakes() * 10:
        chests = free = 0
        in_free = False
        for beat in beats(play_out(stake, luck.draw, luck.choose)):
            chests += beat.coins if isinstance(beat, PickOpened) else 0
            in_free = in_free or isinstance(beat, FreeSpinBegins)
            free += beat.coins if in_free else 0
            if isinstance(beat, PicksEnded):
                assert chests == beat.total
                chests = 0
                features += 1
            if isinstance(beat, FreeSpinsEnded):
                assert free == beat.total
                features += 1
    assert features > 0


def test_the_strips_are_as_the_rules_need_them() -> None:
    """34 to 41 stops of known symbols, none twice in a window: so no two Mermaids, no two Treasures of a reel show."""
    assert all(34 <= length <= 41 for length in REELS.lengths)
    for strip in REELS.strips:
        assert set(strip) == set(SYMBOLS)
        assert [1] * len(SYMBOLS) == [most_in_view(strip, symbol, REELS.rows) for symbol in SYMBOLS]


def test_lines_begin_differently() -> None:
    """The fifteen lines differ in their first three rows, so one treasure at most starts in a spin."""
    assert 15 == len({line[:3] for line in LINES}) == len(LINES)


def test_chests_hold_at_most_a_hundred_coins() -> None:
    """The largest chest is 100 coins per coin on the line, and the mean the one that the page states."""
    assert CHEST_TABLE.largest == 100
    assert Fraction(125275, 3132) == CHEST_TABLE.mean
