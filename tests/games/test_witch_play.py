"""Witch Feature's potions, cards and respins, played through the production generator."""

from collections.abc import Sequence

import msgspec
import pytest

from gamekit.beats import FreeSpinsWon, LineWin, ReelsLanded
from gamekit.lines import LineHit
from gamekit.play import Beat
from gamekit.reels import Reels
from games.witch_feature import GAME
from games.witch_feature.features import evaluator, play_feature
from games.witch_feature.pays import EXPLOSION_SYMBOLS, LINE_PAYS, LINES, WILD
from games.witch_feature.play import PAID_REELS
from games.witch_feature.potions import FEATURES, WitchMemory, collect, unlocked_by, won_by
from games.witch_feature.steps import (
    CombinationMade,
    FeatureBegins,
    FeatureEnded,
    FeatureUnlocked,
    PotionCollected,
    PotionsKept,
    Respun,
)
from games.witch_feature.strips import HIGH_REELS, PAID_STRIPS, RESPIN_REELS
from tests.games.table import Luck, Script
from tests.games.witch_table import (
    ALL_UNLOCKED,
    FAILS,
    FULL_RESPIN,
    HAPPENS,
    HIGH_WIN,
    NOTHING,
    RESPIN_NOTHING,
    STAKE,
    B,
    G,
    R,
    losing,
    of_type,
    play_round,
)


def plain_hits(window: Sequence[Sequence[str]]) -> list[LineHit]:
    """Return what the fifty lines win, by trying every symbol and count on every line."""
    hits = []
    for number, line in enumerate(LINES):
        cells = [window[reel][row] for reel, row in enumerate(line)]
        found = [
            LineHit(number, symbol, count, pay)
            for symbol, pays in LINE_PAYS.items()
            for count, pay in pays.items()
            if all(cell in {symbol, WILD} for cell in cells[:count])
        ]
        if found:
            hits.append(max(found, key=lambda hit: (hit.pay, hit.run)))
    return hits


def play_alone(draws: Sequence[int], *features: str) -> list[Beat]:
    """Play a feature by itself with just these draws."""
    script = Script(draws)
    steps = [step for step in play_feature(STAKE, script, features) if isinstance(step, Beat)]
    assert script.spent
    return steps


def full_screen(multiplier: int = 1) -> list[LineWin]:
    """Return the line wins of a window full of wilds."""
    pay = LINE_PAYS[WILD][5] * multiplier
    return [LineWin(line, WILD, 5, multiplier, coins=pay) for line in range(1, 51)]


def test_a_potion_is_collected_and_the_symbols_above_it_fall() -> None:
    """Wherever a potion lands, those above it move down by one, the next stop above enters, and those below stay."""
    seen = set()
    for reel, strip in enumerate(PAID_STRIPS):
        for stop, potion in enumerate(PAID_REELS.potions[reel]):
            shown = [strip[(stop + row) % len(strip)] for row in range(4)]
            if potion is None:
                assert tuple(shown) == PAID_REELS.column(reel, stop)
                continue
            row, colour = potion
            assert shown[row] == colour
            seen.add((reel, row, colour))
            after = (strip[stop - 1], *shown[:row], *shown[row + 1 :])
            assert after == PAID_REELS.column(reel, stop)
    assert len(seen) == 4 * 6


def test_wins_are_evaluated_after_the_potions_have_gone() -> None:
    """Over many rounds a paid spin pays what its window pays once collected, each line its highest win alone."""
    luck = Luck(5)
    potions = 0
    for _ in range(800):
        steps = play_round(luck.draw).steps
        landed = steps[1]
        assert isinstance(landed, ReelsLanded)
        after = [index for index, step in enumerate(steps) if not isinstance(step, PotionsKept | ReelsLanded)]
        rest = steps[after[0] :] if after else []
        collected = [step for step in rest if isinstance(step, PotionCollected)]
        potions += len(collected)
        wins = []
        for step in rest[len(collected) :]:
            if not isinstance(step, LineWin):
                break
            wins.append(LineHit(step.line - 1, step.symbol, step.count, step.coins))
        assert [(hit.line, hit.pay) for hit in plain_hits(PAID_REELS.window(landed.stops))] == [
            (hit.line, hit.pay) for hit in wins
        ]
    assert potions > 50


def test_potions_are_collected_from_left_to_right() -> None:
    """With potions on three reels the leftmost goes first; they are kept as a set, whatever their order."""
    stops = losing(PAID_REELS, {1: B, 2: G})
    steps, memory = play_round(Script(stops))
    assert [step.potion for step in steps if isinstance(step, PotionCollected)] == [B, G]
    assert [step.cell[0] for step in steps if isinstance(step, PotionCollected)] == [1, 2]
    assert WitchMemory((B, G)) == memory
    assert PotionsKept(carried=(B, G), unlocked=0) == steps[-1]


def test_a_bet_carries_at_most_two_potions() -> None:
    """A memory that no play can leave is refused."""
    for carried in ((R, R, R), (R, B), ("ace",)):
        with pytest.raises(ValueError, match=r"kept sorted|at most two"):
            WitchMemory(carried)
    with pytest.raises(ValueError, match="0 to 3 features"):
        WitchMemory((), 4)


@pytest.mark.parametrize(
    ("potions", "feature"),
    [
        ((R, B, G), "high_symbols"),
        ((R, B, B), "random_wilds"),
        ((R, G, G), "multiplier"),
        ((B, B, G), "mega_wild"),
        ((R, R, R), "explosion"),
        ((B, B, B), "explosion"),
        ((G, G, G), "explosion"),
        ((R, R, B), "explosion"),
        ((R, R, G), "explosion"),
        ((B, G, G), "explosion"),
    ],
)
def test_three_potions_make_a_combination_in_any_order(potions: tuple[str, str, str], feature: str) -> None:
    """Each of the ten triples triggers its feature, or perhaps the Explosion, in whatever order it was collected."""
    for turn in range(3):
        first, second, third = potions[turn:] + potions[:turn]
        combination, carried = collect(sorted((first, second)), [third])
        assert combination is not None
        assert carried == ()
        assert feature == won_by(combination, ALL_UNLOCKED)[0]
        assert (won_by(combination, ALL_UNLOCKED)[1] == 1) == (feature != "explosion")


def test_one_combination_a_spin_and_later_potions_start_the_next() -> None:
    """Two carried and three landed: the first three are used up, the other two are carried."""
    assert (tuple(sorted((R, R, B))), (B, G)) == collect((R, R), [B, G, B])
    steps, memory = play_round(Script([*losing(PAID_REELS, {1: R, 2: G, 3: B}), FAILS]), WitchMemory((R, R)))
    assert [CombinationMade(potions=(R, R, R))] == of_type(steps, CombinationMade)
    assert WitchMemory((B, G)) == memory


def test_each_card_unlocks_the_next() -> None:
    """High Symbols unlocks Random Wilds, that Multiplier, that Mega Wild; four unlocked remain so."""
    assert [unlocked_by(feature, number) for number, feature in enumerate(FEATURES)] == [1, 2, 3, 3]
    assert [unlocked_by(feature, ALL_UNLOCKED) for feature in FEATURES] == [3] * 4
    stops = losing(PAID_REELS, {1: R})
    steps, memory = play_round(Script([*stops, *FULL_RESPIN]), WitchMemory((B, G)))
    assert [FeatureUnlocked(feature="random_wilds")] == of_type(steps, FeatureUnlocked)
    assert WitchMemory((), 1) == memory
    again, kept = play_round(Script([*stops, *FULL_RESPIN]), WitchMemory((B, G), 1))
    assert of_type(again, FeatureUnlocked) == []
    assert WitchMemory((), 1) == kept


@pytest.mark.parametrize(("unlocked", "locked"), [(0, 3), (1, 2), (2, 1), (3, 0)])
def test_locked_features_may_explode_and_stay_locked(unlocked: int, locked: int) -> None:
    """A card that is not unlocked yet triggers the Explosion or nothing; neither unlocks it."""
    triples = [(R, B, B), (R, G, G), (B, B, G)]
    won = [won_by(tuple(sorted(triple)), unlocked) for triple in triples]
    assert [*FEATURES[1 : unlocked + 1], *["explosion"] * locked] == [feature for feature, _ in won]
    assert all((chance == 1) == (feature != "explosion") for feature, chance in won)
    if locked == 3:
        stops = losing(PAID_REELS, {1: B})
        steps, memory = play_round(Script([*stops, FAILS]), WitchMemory((B, R)))
        assert CombinationMade(potions=(B, B, R)) == steps[-2]
        assert WitchMemory() == memory
        draws = [*stops, HAPPENS, *[0] * 12, 0, *RESPIN_NOTHING]
        steps, memory = play_round(Script(draws), WitchMemory((B, R)))
        assert [CombinationMade(potions=(B, B, R), feature="explosion")] == of_type(steps, CombinationMade)
        assert WitchMemory() == memory


def test_the_memory_is_the_play_s_own() -> None:
    """A new bet begins with nothing; a spin without potions leaves its memory as it was; another game's is refused."""
    steps, memory = play_round(Script(NOTHING))
    assert [PotionsKept(carried=(), unlocked=0), ReelsLanded(NOTHING)] == steps
    assert WitchMemory() == memory
    kept = WitchMemory((B, R), 2)
    assert kept == play_round(Script(NOTHING), kept).memory
    assert kept == msgspec.json.decode(msgspec.json.encode(kept), type=WitchMemory)
    with pytest.raises(TypeError, match="remembers a WitchMemory"):
        next(GAME.play(STAKE, Script([]), PotionsKept(carried=(), unlocked=0)))


def test_high_symbols_is_one_respin_on_strips_of_high_symbols() -> None:
    """Wild and the five high symbols alone; its line wins are what the window pays."""
    begin, respin, *wins, end = play_alone(HIGH_WIN, "high_symbols")
    assert FeatureBegins(features=("high_symbols",)) == begin
    assert Respun(stops=HIGH_WIN) == respin
    expected = plain_hits(HIGH_REELS.window(HIGH_WIN))
    assert [(hit.line + 1, hit.pay) for hit in expected] == [(w.line, w.coins) for w in wins if isinstance(w, LineWin)]
    assert FeatureEnded(features=("high_symbols",), total=sum(hit.pay for hit in expected)) == end


def test_random_wilds_land_on_distinct_cells() -> None:
    """As many wilds as drawn, on cells drawn without repetition, over whatever the reels show."""
    # The first weight gives three wilds; cells 0, 0 of those left and the last of those left.
    begin, respin, *wins, end = play_alone([0, 0, 0, 17, *RESPIN_NOTHING], "random_wilds")
    assert FeatureBegins(features=("random_wilds",)) == begin
    assert Respun(stops=RESPIN_NOTHING, marks=((0, 0), (0, 1), (4, 3)), symbol=WILD) == respin
    window = [list(column) for column in RESPIN_REELS.window(RESPIN_NOTHING)]
    window[0][0] = window[0][1] = window[4][3] = WILD
    expected = plain_hits(window)
    assert [(hit.line + 1, hit.pay) for hit in expected] == [(w.line, w.coins) for w in wins if isinstance(w, LineWin)]
    assert FeatureEnded(features=("random_wilds",), total=sum(hit.pay for hit in expected)) == end


def test_multiplier_respins_until_a_win() -> None:
    """Losing respins follow each other without limit; the first win is paid times what was drawn, and ends it."""
    draws = [99, *RESPIN_NOTHING * 4, *FULL_RESPIN]
    begin, *rest = play_alone(draws, "multiplier")
    assert FeatureBegins(features=("multiplier",), multiplier=10) == begin
    assert [Respun(stops=RESPIN_NOTHING)] * 4 == rest[:4]
    assert [Respun(stops=FULL_RESPIN), *full_screen(10)] == rest[4:-1]
    assert FeatureEnded(features=("multiplier",), total=50 * LINE_PAYS[WILD][5] * 10) == rest[-1]


@pytest.mark.parametrize(
    ("draws", "cells"),
    [
        ([0, 5], {(reel, row) for reel in (2, 3, 4) for row in (1, 2, 3)}),
        ([1, 0], {(0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (0, 3), (1, 2), (1, 3)}),
    ],
)
def test_mega_wild_is_one_large_or_two_small(draws: list[int], cells: set[tuple[int, int]]) -> None:
    """The kind is drawn first, then one of its places; every cell of it is wild in one respin."""
    _, respin, *wins, _ = play_alone([*draws, *RESPIN_NOTHING], "mega_wild")
    assert isinstance(respin, Respun)
    assert (cells, WILD) == (set(respin.marks), respin.symbol)
    window = [
        [WILD if (reel, row) in cells else symbol for row, symbol in enumerate(column)]
        for reel, column in enumerate(RESPIN_REELS.window(RESPIN_NOTHING))
    ]
    assert [hit.pay for hit in plain_hits(window)] == [win.coins for win in wins]


@pytest.mark.parametrize("symbol", EXPLOSION_SYMBOLS)
def test_question_marks_turn_into_one_symbol(symbol: str) -> None:
    """Twelve question marks on distinct cells all become the one symbol drawn, before anything is paid."""
    weights = [7, 4, 3, 2, 2, 2]
    place = EXPLOSION_SYMBOLS.index(symbol)
    _, respin, *wins, _ = play_alone([*[0] * 12, sum(weights[:place]), *RESPIN_NOTHING], "explosion")
    assert isinstance(respin, Respun)
    assert (tuple((reel, row) for reel in range(3) for row in range(4)), symbol) == (respin.marks, respin.symbol)
    window = [*[[symbol] * 4] * 3, *RESPIN_REELS.window(RESPIN_NOTHING)[3:]]
    assert [hit.pay for hit in plain_hits(window)] == [win.coins for win in wins]


def test_lines_are_paid_before_the_feature_and_that_before_free_spins() -> None:
    """In a spin that wins everything: line wins, then the feature with its wins, then the free spins."""
    luck = Luck(11)
    memory = WitchMemory((B, G), ALL_UNLOCKED)
    orders = set()
    for _ in range(3000):
        steps = play_round(luck.draw, memory).steps
        marks = [
            "line" if isinstance(step, LineWin) else type(step).__name__
            for step in steps
            if isinstance(step, LineWin | FeatureBegins | FeatureEnded | FreeSpinsWon)
        ]
        if "FreeSpinsWon" in marks:
            marks = marks[: marks.index("FreeSpinsWon") + 1]
        orders.add(tuple(dict.fromkeys(marks)))
    assert ("line", "FeatureBegins", "FeatureEnded") in orders
    assert {order[-1] for order in orders if "FreeSpinsWon" in order} == {"FreeSpinsWon"}
    assert all(
        order.index("FeatureEnded") > order.index("FeatureBegins") for order in orders if "FeatureEnded" in order
    )


def test_wild_stands_for_every_paying_symbol_and_pays_of_its_own() -> None:
    """On a window of one symbol and a wild the symbol pays five; a window of wilds pays fifty times five wilds."""
    for symbol in LINE_PAYS:
        window = [[symbol] * 4, [WILD] * 4, [symbol] * 4, [WILD] * 4, [symbol] * 4]
        hits = evaluator(RESPIN_REELS).hits_in(window, 50)
        assert [LINE_PAYS[symbol][5]] * 50 == [hit.pay for hit in hits]


def test_wild_stands_for_no_free_spins_symbol_and_no_potion() -> None:
    """A wild between such symbols makes no win, and a window of wild counts neither."""
    for symbol in ("free_spins", "potion_red", "potion_blue", "potion_green"):
        window = [[symbol] * 4, [WILD] * 4, [symbol] * 4, [WILD] * 4, [symbol] * 4]
        assert list(evaluator(Reels(PAID_STRIPS, 4)).hits_in(window, 50)) == []


def test_respins_never_start_free_spins_or_collect_potions() -> None:
    """Between a feature's begin and end only respins and their line wins happen."""
    luck = Luck(3)
    memory = WitchMemory((B, G), ALL_UNLOCKED)
    features = 0
    for _ in range(900):
        inside = False
        for step in play_round(luck.draw, memory).steps:
            if isinstance(step, FeatureEnded):
                inside = False
            assert not inside or isinstance(step, Respun | LineWin)
            inside = inside or isinstance(step, FeatureBegins)
            features += isinstance(step, FeatureBegins)
    assert features > 50
