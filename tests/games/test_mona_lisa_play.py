"""Mona Lisa Jewels' rule page, sentence by sentence, played through the production generator."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations

import msgspec
import pytest

from gamekit.beats import (
    AnswerError,
    Begin,
    Continue,
    FreeSpinBegins,
    FreeSpinsEnded,
    FreeSpinsWon,
    JackpotWon,
    LineWin,
    ReelsLanded,
    ScatterWin,
)
from gamekit.play import Answer, Beat, Claim, Offer, PoolRule, Scene, Stake, Step
from games.mona_lisa_jewels import GAME, MonaLisaScene, MonaLisaStep
from games.mona_lisa_jewels.jewels import TRIGGERS
from games.mona_lisa_jewels.pays import (
    JACKPOT,
    JACKPOT_AWARD,
    JEWEL,
    LINE_PAYS,
    LINES,
    MONA_LISA,
    PALETTE,
    PALETTE_PAYS,
    POOL_SEED_COINS,
)
from games.mona_lisa_jewels.steps import (
    FiveJackpots,
    Held,
    JewelsHeld,
    JewelSpinBegins,
    JewelSpinsEnded,
    JewelSpinsWon,
)
from games.mona_lisa_jewels.strips import REELS
from tests.games.mona_lisa_table import BEHIND, HIGHEST, NOTHING, middle, palettes, stop, trigger
from tests.games.table import Luck, Script
from tests.games.views import most_in_view

ONE_LINE = Stake(lines=1, coins_per_line=1)
POOL = 61_234


def play_out(
    stake: Stake, draw: Callable[[int], int], choose: Callable[[Offer], int] = lambda offer: offer.choices[0]
) -> list[Step]:
    """Play one round to its end and return all its steps; a claim is answered with `POOL` coins."""
    play = GAME.play(stake, draw, None)
    steps: list[Step] = []
    answer = None
    while True:
        try:
            step = play.send(answer)
        except StopIteration:
            return steps
        steps.append(step)
        answer = None
        if isinstance(step, Claim):
            answer = Answer(POOL)
        elif isinstance(step, Offer):
            answer = Answer(choose(step))


def spin(stake: Stake, *draws: int) -> list[Step]:
    """Play a round that needs exactly these draws."""
    script = Script(draws)
    steps = play_out(stake, script)
    assert script.spent
    return steps


def of(steps: Sequence[Step], kind: type[Step]) -> list[Step]:
    return [step for step in steps if isinstance(step, kind)]


def won(steps: Sequence[Step]) -> int:
    return sum(step.coins for step in steps if isinstance(step, Beat))


def test_one_to_twenty_five_lines_of_one_to_ten_coins() -> None:
    """A player can bet one to ten coins on each of one to 25 different lines: 250 bets."""
    assert tuple(range(1, 26)) == GAME.line_counts
    assert tuple(range(1, 11)) == GAME.coins_per_line
    assert (len(GAME.stakes()), len(set(LINES)), GAME.reels, GAME.rows) == (250, 25, 5, 3)


@pytest.mark.parametrize("symbol", [symbol for symbol in LINE_PAYS if symbol != JEWEL])
def test_mona_lisa_stands_for_every_regular_symbol(symbol: str) -> None:
    """A wild between two of a symbol completes three of it, and multiplies nothing in the paid spin."""
    other = "ace" if symbol == "king" else "king"
    steps = spin(ONE_LINE, *middle(symbol, MONA_LISA, symbol, other, other))
    assert of(steps, LineWin) == [LineWin(1, symbol, 3, coins=LINE_PAYS[symbol][3])]


def test_mona_lisa_completes_a_line_of_jewels() -> None:
    """The jewel pays on a line as well, and wild stands for it there."""
    first = next(
        number for number in range(REELS.lengths[0]) if REELS.column(0, number)[1] == JEWEL and number not in TRIGGERS
    )
    steps = spin(ONE_LINE, first, *middle("ten", MONA_LISA, JEWEL, "ace", "king")[1:])
    assert of(steps, LineWin) == [LineWin(1, JEWEL, 3, coins=LINE_PAYS[JEWEL][3])]


def test_mona_lisa_stands_for_no_palette() -> None:
    """Two palettes and a wild in view are no win."""
    stops = (*middle("lute", "florence", MONA_LISA), stop(3, PALETTE, 0), stop(4, PALETTE, 0))
    assert won(spin(ONE_LINE, *stops)) == 0


def test_mona_lisa_stands_for_no_jackpot() -> None:
    """Four jackpot symbols and a wild on a line pay nothing."""
    assert won(spin(ONE_LINE, *middle(JACKPOT, JACKPOT, MONA_LISA, JACKPOT, JACKPOT))) == 0


def test_wilds_start_no_jewel_spins() -> None:
    """Reel 1 holds no wild, so nothing but jewels of its own can lock it; one jewel is too few."""
    assert MONA_LISA not in REELS.strips[0]
    assert [number for number in range(35) if REELS.column(0, number).count(JEWEL) >= 2] == sorted(TRIGGERS)
    single = next(n for n in range(35) if REELS.column(0, n).count(JEWEL) == 1)
    assert of(spin(ONE_LINE, single, *BEHIND), JewelSpinsWon) == []


def test_wins_go_from_left_to_right_on_enabled_lines() -> None:
    """Four kings from reel 2 pay nothing; three in the top row pay with two lines and not with one."""
    assert won(spin(ONE_LINE, *middle("ace", "king", "king", "king", "king"))) == 0
    top = (*(stop(reel, "king", 0) for reel in range(3)), *NOTHING[3:])
    assert of(spin(Stake(lines=2, coins_per_line=3), *top), LineWin)[-1] == LineWin(2, "king", 3, coins=30)
    assert not [win for win in of(spin(ONE_LINE, *top), LineWin) if win == LineWin(2, "king", 3, coins=10)]


def test_every_window_pays_each_line_its_highest_win_once() -> None:
    """Over many rounds a line is paid at most once a spin, with what a plain reading of its cells finds."""
    luck = Luck(5)
    for _ in range(2000):
        landed = spin_of(play_out(HIGHEST, luck.draw))
        window = REELS.window(landed[0].stops)
        expected = []
        for number, rows in enumerate(LINES, start=1):
            cells = [window[reel][row] for reel, row in enumerate(rows)]
            run = 1
            while run < 5 and cells[run] in {cells[0], MONA_LISA}:
                run += 1
            if run in LINE_PAYS.get(cells[0], {}):
                expected.append(LineWin(number, cells[0], run, coins=LINE_PAYS[cells[0]][run] * 10))
        assert expected == landed[1]


def spin_of(steps: Sequence[Step]) -> tuple[ReelsLanded, list[Step]]:
    """Return the paid spin's reels and its line wins."""
    first = steps[0]
    assert isinstance(first, ReelsLanded)
    wins: list[Step] = []
    for step in steps[1:]:
        if not isinstance(step, LineWin):
            break
        wins.append(step)
    return first, wins


@pytest.mark.parametrize("middle_symbol", [JEWEL, "queen"])
def test_two_jewels_on_reel_one_give_two_jewel_spins(middle_symbol: str) -> None:
    """Two jewels lock reel 1 for two spins, the first behind a press; only the other four reels draw."""
    first = trigger(middle_symbol)
    steps = spin(ONE_LINE, first, *BEHIND, *BEHIND, *BEHIND)
    kinds = [type(step) for step in steps if not isinstance(step, LineWin | JewelsHeld)]
    one = [JewelSpinBegins, ReelsLanded]
    assert kinds == [ReelsLanded, JewelSpinsWon, Begin, *one, Continue, *one, JewelSpinsEnded]
    assert [landed.stops[0] for landed in of(steps, ReelsLanded) if isinstance(landed, ReelsLanded)] == [first] * 3


def test_jewels_and_wilds_are_held_and_those_of_the_first_jewel_spin_too() -> None:
    """A wild of the paid spin and a jewel of the first jewel spin are in the second: wins grow accordingly."""
    start = (trigger(JEWEL), *middle("ten", MONA_LISA, "ten", "ace", "king")[1:])
    first = (*middle("ten", "florence", JEWEL, "ten", "king")[1:],)
    second = (*middle("ten", "florence", "lute", JEWEL, "king")[1:],)
    steps = spin(ONE_LINE, *start, *first, *second)
    (begun,) = of(steps, JewelSpinsWon)
    assert begun == JewelSpinsWon(2, (Held(1, 1, MONA_LISA),))
    assert of(steps, JewelsHeld) == [JewelsHeld((Held(2, 1, JEWEL),))]
    assert of(steps, LineWin) == [LineWin(1, JEWEL, 3, coins=10), LineWin(1, JEWEL, 4, coins=50)]
    assert steps[-1] == JewelSpinsEnded(2, 60)


def test_wilds_multiply_nothing_in_jewel_spins() -> None:
    """Three held wilds in a jewel spin within free spins pay the plain award, while the free spin before it pays x8."""
    wilds = (trigger(JEWEL), *middle("ten", MONA_LISA, MONA_LISA, MONA_LISA, "king")[1:])
    steps = spin(ONE_LINE, *palettes(3), *wilds, *BEHIND, *BEHIND, *NOTHING * 9)
    wins = of(steps, LineWin)
    assert wins == [LineWin(1, JEWEL, 4, 8, coins=400), *[LineWin(1, JEWEL, 4, coins=50)] * 2]


def test_the_locked_reel_starts_no_more_jewel_spins() -> None:
    """Jewel spins are won once by a spin, though reel 1 still shows its jewels in both."""
    steps = spin(ONE_LINE, trigger("queen"), *BEHIND * 3)
    assert len(of(steps, JewelSpinsWon)) == 1


def test_the_locked_reel_shows_neither_palette_nor_jackpot() -> None:
    """No jackpot in jewel spins: reel 1 is locked without one, and without palette or wild."""
    shown = {symbol for number in TRIGGERS for symbol in REELS.column(0, number)}
    assert shown == {JEWEL, "queen"}


def test_each_row_of_the_locked_reel_shows_the_same() -> None:
    """A line is worth the same in whichever row it starts: over the locking windows all rows show alike."""
    rows = [Counter(REELS.column(0, number)[row] for number in TRIGGERS) for row in range(3)]
    assert rows[0] == rows[1] == rows[2] == Counter({JEWEL: 2, "queen": 1})


@pytest.mark.parametrize("count", [3, 4, 5])
def test_palettes_pay_times_the_whole_bet_and_give_ten_free_spins(count: int) -> None:
    """Three or more palettes anywhere pay x total bet and give ten normal free spins."""
    stake = Stake(lines=1, coins_per_line=7)
    steps = spin(stake, *palettes(count), *NOTHING * 10)
    (scatter,) = of(steps, ScatterWin)
    assert isinstance(scatter, ScatterWin)
    assert (scatter.count, scatter.coins) == (count, PALETTE_PAYS[count] * 7)
    assert of(steps, FreeSpinsWon) == [FreeSpinsWon(10)]
    assert len(of(steps, Continue)) == len(of(steps, FreeSpinBegins)) == 10
    assert steps[-1] == FreeSpinsEnded(10, 0)


def test_two_palettes_win_nothing() -> None:
    """Two palettes neither pay nor start anything."""
    assert spin(ONE_LINE, *palettes(2)) == [ReelsLanded(palettes(2))]


@pytest.mark.parametrize(("wilds", "multiplier"), [(0, 1), (1, 2), (2, 4), (3, 8), (4, 8)])
def test_wilds_multiply_line_wins_in_normal_free_spins(wilds: int, multiplier: int) -> None:
    """One, two, three or more wilds in a winning line pay 2, 4, 8 times that line."""
    row = ["ten", *[MONA_LISA] * wilds, *["ten"] * (4 - wilds)]
    steps = spin(ONE_LINE, *palettes(3), *middle(*row), *NOTHING * 9)
    assert of(steps, LineWin) == [LineWin(1, "ten", 5, multiplier, coins=100 * multiplier)]


def test_a_wild_behind_the_paid_combination_multiplies_nothing() -> None:
    """A wild that is no part of the combination does not multiply it."""
    steps = spin(ONE_LINE, *palettes(3), *middle("ten", "ten", "ten", "king", MONA_LISA), *NOTHING * 9)
    assert of(steps, LineWin) == [LineWin(1, "ten", 3, coins=5)]


def test_palettes_are_not_multiplied_and_win_free_spins_again() -> None:
    """A free spin with three palettes pays the plain scatter win and queues ten more behind those left."""
    steps = spin(ONE_LINE, *palettes(3), *palettes(3), *NOTHING * 19)
    assert [step.coins for step in of(steps, ScatterWin) if isinstance(step, Beat)] == [5, 5]
    assert of(steps, FreeSpinsWon) == [FreeSpinsWon(10), FreeSpinsWon(10, retrigger=True)]
    assert len(of(steps, FreeSpinBegins)) == 20


def order(steps: Sequence[Step]) -> str:
    """Return the order of the features' spins: N for a normal free spin, J for a jewel spin."""
    names: dict[type[Step], str] = {FreeSpinBegins: "N", JewelSpinBegins: "J"}
    return "".join(names.get(type(step), "") for step in steps)


def test_example_1_jewel_spins_in_the_fourth_free_spin() -> None:
    """The 4th normal free spin triggers jewel spins: two of them follow at once, then the six that remain."""
    steps = spin(ONE_LINE, *palettes(3), *NOTHING * 3, trigger("queen"), *BEHIND * 3, *NOTHING * 6)
    assert order(steps) == "NNNN" + "JJ" + "NNNNNN"


def test_example_2_free_spins_in_the_first_jewel_spin() -> None:
    """The first jewel spin triggers ten normal free spins: the other jewel spin comes first, then the ten."""
    steps = spin(ONE_LINE, trigger("queen"), *BEHIND, *palettes(3)[1:], *BEHIND, *NOTHING * 10)
    assert order(steps) == "JJ" + "N" * 10
    assert of(steps, FreeSpinsWon) == [FreeSpinsWon(10)]


def test_one_spin_can_win_both_kinds() -> None:
    """Jewels on reel 1 and three palettes in one spin give twelve: two jewel spins first, then ten normal ones."""
    steps = spin(ONE_LINE, trigger("queen"), *palettes(3)[1:], *BEHIND * 2, *NOTHING * 10)
    assert order(steps) == "JJ" + "N" * 10


def test_a_held_symbol_hides_the_palette_behind_it() -> None:
    """Palettes count on cells that are not held: three landing, one of them under a held wild, are no win."""
    held = (trigger("queen"), BEHIND[0], stop(2, MONA_LISA, 0), *BEHIND[2:])
    steps = spin(ONE_LINE, *held, *palettes(3)[1:], *BEHIND)
    assert of(steps, ScatterWin) == []
    assert of(steps, FreeSpinsWon) == []


def test_five_jackpots_claim_the_pool_at_the_highest_bet() -> None:
    """At 25 lines of ten coins the pool is claimed, and pays what it answers and nothing else."""
    steps = spin(HIGHEST, *middle(*[JACKPOT] * 5))
    assert [type(step) for step in steps] == [ReelsLanded, FiveJackpots, Claim, JackpotWon]
    assert (steps[1], steps[3]) == (FiveJackpots(1), JackpotWon(coins=POOL))
    assert won(steps) == POOL


@pytest.mark.parametrize("stake", [ONE_LINE, Stake(lines=25, coins_per_line=9), Stake(lines=24, coins_per_line=10)])
def test_below_the_highest_bet_five_jackpots_pay_the_paytable(stake: Stake) -> None:
    """Fewer lines or fewer coins pay the award, times coins per line, and claim nothing."""
    steps = spin(stake, *middle(*[JACKPOT] * 5))
    assert of(steps, FiveJackpots) == [FiveJackpots(1, coins=JACKPOT_AWARD * stake.coins_per_line)]
    assert of(steps, Claim) == []
    assert JACKPOT_AWARD < 5000


def test_the_jackpot_can_fall_in_normal_free_spins() -> None:
    """Five jackpot symbols in a free spin claim the pool as well, unmultiplied."""
    steps = spin(HIGHEST, *palettes(3), *middle(*[JACKPOT] * 5), *NOTHING * 9)
    assert of(steps, JackpotWon) == [JackpotWon(coins=POOL)]


def test_one_jackpot_symbol_and_one_palette_in_a_window_at_most() -> None:
    """So five of them are on one line at most, and a spin claims the pool at most once."""
    assert {most_in_view(strip, symbol, 3) for strip in REELS.strips for symbol in (JACKPOT, PALETTE)} == {1}
    assert all(left != right for left, right in combinations(LINES, 2))


def test_the_pool_starts_at_fifty_thousand_coins_and_grows_by_half_a_percent() -> None:
    """500,000.00 at a coin value of 10.00 is 50,000 coins, 500.00 at 0.01; every bet adds 0.5 %."""
    assert PoolRule(seed_coins=POOL_SEED_COINS, growth_per_mille=5) == GAME.pool
    assert POOL_SEED_COINS * 1000 == 500_000_00
    assert POOL_SEED_COINS * 1 == 500_00


@pytest.mark.parametrize("answer", [None, Answer(-1)])
def test_a_claim_needs_an_amount(answer: Answer | None) -> None:
    """A claim that is answered with nothing, or with less than nothing, is an error."""
    play = GAME.play(HIGHEST, Script(middle(*[JACKPOT] * 5)), None)
    while not isinstance(next(play), Claim):
        pass
    with pytest.raises(AnswerError):
        play.send(answer)


def test_the_same_draws_and_answers_give_the_same_beats() -> None:
    """Any round can be replayed from its draws, at every bet, and its steps survive the journal."""
    decoder = msgspec.json.Decoder(MonaLisaStep)
    for seed, stake in enumerate(GAME.stakes()):
        luck = Luck(seed)
        steps = play_out(stake, luck.draw, luck.choose)
        script = Script([value for _, value in luck.draws])
        again = play_out(stake, script)
        assert steps == again
        assert script.bounds == [bound for bound, _ in luck.draws]
        wire = [msgspec.json.encode(step) for step in steps]
        assert wire == [msgspec.json.encode(decoder.decode(packet)) for packet in wire]


def test_totals_repeat_what_the_beats_paid() -> None:
    """Over many rounds, what the ends of the features repeat and what the scene counts is the sum of the beats."""
    luck = Luck(11)
    scene: Scene = GAME.idle
    decoder = msgspec.json.Decoder(MonaLisaScene)
    for _ in range(400):
        steps = play_out(HIGHEST, luck.draw)
        jewels = 0
        for step in steps:
            scene = GAME.advance(scene, HIGHEST, step)
            assert scene == decoder.decode(msgspec.json.encode(scene))
            if isinstance(step, JewelSpinsWon):
                jewels = 0
            if isinstance(step, JewelSpinsEnded):
                assert step.total == jewels
            jewels += step.coins if isinstance(step, Beat) else 0
        assert isinstance(scene, MonaLisaScene)
        assert scene.round_win == won(steps)
        assert (scene.mode, scene.jewels_total, scene.claiming) == ("base", 0, False)
        assert [end.total for end in steps if isinstance(end, FreeSpinsEnded)] == [scene.free_spin_win] * (
            scene.free_spins_total > 0
        )


def test_the_scene_shows_what_is_held() -> None:
    """Between two jewel spins the scene shows the locked window, what is held, and how many are left."""
    start = (trigger(JEWEL), *middle("ten", MONA_LISA, "ten", "ace", "king")[1:])
    first = middle("ten", "florence", JEWEL, "ten", "king")[1:]
    steps = spin(ONE_LINE, *start, *first, *BEHIND)
    scene: Scene = GAME.idle
    presses = 0
    for step in steps:
        presses += isinstance(step, Continue)
        if presses == 2:
            break
        scene = GAME.advance(scene, ONE_LINE, step)
    assert isinstance(scene, MonaLisaScene)
    assert scene.stops == (start[0], *first)
    assert scene.held == (Held(1, 1, MONA_LISA), Held(2, 1, JEWEL))
    assert (scene.jewels_left, scene.jewels_total, scene.jewel_win) == (1, 2, 10)


def test_the_scene_waits_for_the_pool() -> None:
    """While the pool has not answered the scene says so; then it shows what it paid."""
    steps = spin(HIGHEST, *middle(*[JACKPOT] * 5))
    scene: Scene = GAME.idle
    for step in steps[:3]:
        scene = GAME.advance(scene, HIGHEST, step)
    assert isinstance(scene, MonaLisaScene)
    assert (scene.jackpot_line, scene.claiming, scene.jackpot_win) == (1, True, 0)
    scene = GAME.advance(scene, HIGHEST, steps[3])
    assert isinstance(scene, MonaLisaScene)
    assert (scene.claiming, scene.jackpot_win, scene.round_win) == (False, POOL, POOL)


def test_a_foreign_scene_or_step_is_refused() -> None:
    """Mona Lisa Jewels draws nothing from another game's scene or step."""
    with pytest.raises(TypeError, match="MonaLisaScene"):
        GAME.advance(Scene(), ONE_LINE, Continue(1))
    with pytest.raises(TypeError, match="no step of MonaLisaScene"):
        GAME.advance(GAME.idle, ONE_LINE, Beat())
