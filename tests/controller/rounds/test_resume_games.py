"""Each game's richest round, cut after every segment: the journal alone brings it to the same place and win."""

import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from controller.journal import rounds
from controller.journal.pools import JournalPools, PoolKey
from controller.journal.rounds import Segment, Wager
from controller.journal.transaction import Transaction
from controller.rounds.engine import Round, remembered, replay
from gamekit.catalogue import load, names
from gamekit.double_up import BLACK, HALVE, RED, DoubleUp
from gamekit.play import Claim, Draw, Game, Memory, Offer, Scene, Stake
from games.bewitched.pays import BATTLE_SPINS
from games.mona_lisa_jewels.pays import JACKPOT
from games.mystery_elves.pays import AWARDS, MINI, MULTIPLIERS, MULTIPLYING, MYSTERY, VALUES
from games.mystery_elves.strips import HOLD_RULES
from games.neptune.pays import TREASURE
from games.witch_feature.play import PAID_REELS
from games.witch_feature.potions import WitchMemory
from games.witch_feature.strips import FREE_REELS
from tests.games import bewitched_table, table, witch_table
from tests.games.elves_table import BOUGHT, carry, full, misses, ticket
from tests.games.mona_lisa_table import BEHIND, HIGHEST, NOTHING, middle, palettes, trigger
from tests.games.table import Script, mermaids
from tests.games.witch_table import IDLE_SPIN, drawing
from tests.rigs.books import opened
from ui.protocol.values import Bet

CREDIT = 1_000_000
TRIED = 300


class Case(NamedTuple):
    """A round to play: what is drawn, what is guessed in double-up, and the memory found and left."""

    game: str
    stake: Stake
    draws: list[int]
    segments: int
    guesses: tuple[int, ...] = ()
    memory: Memory = None
    memory_after: Memory = None


KNOWN = (
    # Ten free spins; in them five chests, a tripled line win and ten free spins more.
    Case(
        "neptune",
        Stake(lines=15, coins_per_line=5, coin_value_cents=2),
        [*mermaids(3), *table.middle_row(*[TREASURE] * 5), *range(0, 1000, 200), *mermaids(3), *table.NOTHING * 18],
        1 + 20 + 5,
    ),
    # Vials, battle, free spins, jackpot, and three guesses.
    Case(
        "bewitched",
        Stake(lines=1, coins_per_line=2, coin_value_cents=5),
        [
            *(*bewitched_table.MOONS_AND_MERLINS, bewitched_table.spins(15, 2)),
            *(*bewitched_table.MOONS_AND_WITCHES, bewitched_table.WON),
            *(*bewitched_table.MOONS_AND_MERLINS, bewitched_table.jackpot(2)),
            *bewitched_table.NOTHING * (BATTLE_SPINS[2] + 13),
            *(0, 0, 1),
        ],
        1 + 3 + (BATTLE_SPINS[2] + 15) + 3 + 1 + 3,
        (RED, RED, RED),
    ),
    # A combination that unlocks the last card, free spins, two features in one of them, and a retrigger.
    Case(
        "witch_feature",
        witch_table.STAKE,
        [
            *witch_table.losing(PAID_REELS, {1: witch_table.R, 3: witch_table.B}, free_spins=(0, 4)),
            *(99, *witch_table.RESPIN_NOTHING, *witch_table.FULL_RESPIN),
            *(*witch_table.FREE_NOTHING, drawing("mega_wild", "multiplier"), 99, 0, 0, *witch_table.FULL_RESPIN),
            *(*witch_table.losing(FREE_REELS, free_spins=(0, 4)), 0),
            *IDLE_SPIN * 18,
        ],
        1 + 20,
        memory=WitchMemory((witch_table.G, witch_table.G), 2),
        memory_after=WitchMemory((witch_table.B,), 3),
    ),
    # Bought: a line win, a respin without a symbol, then a full window with both functions; gambled, halved, lost.
    Case(
        "mystery_elves",
        msgspec.structs.replace(BOUGHT, coin_value_cents=3),
        [
            *(29_910, *carry(MYSTERY, MULTIPLYING, *[1] * 4), *misses(9), *full(HOLD_RULES, 6), *carry(*[2] * 9)),
            *(ticket(AWARDS, MINI), ticket(MULTIPLIERS, 3), ticket(VALUES, 10), ticket(VALUES, 8)),
            *(0, 0, 0, 1),
        ],
        6,
        (RED, HALVE, BLACK),
    ),
    # Free spins; in them the jackpot, and jewel spins that win ten free spins more.
    Case(
        "mona_lisa_jewels",
        HIGHEST,
        [
            *(*palettes(3), *middle(*[JACKPOT] * 5)),
            *(trigger("queen"), *BEHIND, *palettes(3)[1:], *BEHIND),
            *NOTHING * 18,
        ],
        1 + 20 + 2 + 1,
    ),
)


class RoundState(NamedTuple):
    """A round after a segment: all that is shown and credited."""

    steps: tuple[msgspec.Raw, ...]
    offer: Offer | None
    before: Scene
    after: Scene
    win_cents: int
    marks: tuple[bool, ...]

    @classmethod
    def of(cls, played: Round) -> "RoundState":
        """Return the present state of `played`."""
        marks = (played.ended, played.jackpot, played.feature)
        return cls(played.steps, played.offer, played.scene, played.final_scene, played.win_cents, marks)


def encoded(memory: Memory) -> str:
    return msgspec.json.encode(memory).decode()


def answer_to(offer: Offer | None, guesses: Iterator[int], pool_coins: int) -> int | None:
    """Guess as given and then collect, take the last of what can be picked, give the pool's coins to a claim."""
    if offer is None:
        return None
    if isinstance(offer, Claim):
        return pool_coins
    return next(guesses, offer.choices[0]) if isinstance(offer, DoubleUp) else offer.choices[-1]


def seed_coins(game: Game) -> int:
    return 0 if game.pool is None else game.pool.seed_coins


def played_at_once(case: Case) -> list[RoundState]:
    """Play the round without a cut and return its state after each segment."""
    game = load(case.game)
    draw, guesses = Script(case.draws), iter(case.guesses)
    played = Round(game, case.stake, encoded(case.memory))
    states = []
    while not played.ended:
        played.advance(answer_to(played.offer, guesses, seed_coins(game)), draw)
        states.append(RoundState.of(played))
    assert draw.spent
    return states


def begin(tx: Transaction, case: Case, draw: Draw) -> int:
    """Stake the round, feed its pool and record its first segment, in a cabinet with credit."""
    game, stake = load(case.game), case.stake
    wager = Wager(
        game=game.name,
        maths_version=game.maths_version,
        maths_hash=game.maths_hash,
        bet=Bet(lines=stake.lines, coins_per_line=stake.coins_per_line, coin_value_cents=stake.coin_value_cents),
        price=stake.price,
    )
    tx.post("note", credit=CREDIT, meters={"notes_in": CREDIT})
    memory = encoded(case.memory)
    return rounds.begin(tx, wager, memory, Round(game, stake, memory).advance(None, draw))


def proceed(tx: Transaction, round_id: int, played: Round, guesses: Iterator[int], draw: Draw) -> Segment:
    """Answer what is on offer, claims from the journal's own pool, and record the next segment."""
    coins = 0
    if isinstance(played.offer, Claim):
        assert played.game.pool is not None
        key = PoolKey(played.game.name, played.stake.coin_value_cents)
        coins = JournalPools(tx).claim(key, played.game.pool, round_id, played.segments)
    segment = played.advance(answer_to(played.offer, guesses, coins), draw)
    rounds.proceed(tx, round_id, segment)
    return segment


def found(name: str) -> Case:
    """Return the round of most segments that a game's highest bet plays among so many: for a game that has no case."""
    game, source = load(name), random.Random(1)
    stake = msgspec.structs.replace(game.stakes()[-1], coin_value_cents=1)
    cases = []
    for _ in range(TRIED):
        drawn: list[int] = []

        def draw(bound: int, /, drawn: list[int] = drawn) -> int:
            drawn.append(source.randrange(bound))
            return drawn[-1]

        played = Round(game, stake, encoded(None))
        memory = None
        while not played.ended:
            memory = played.advance(answer_to(played.offer, iter(()), seed_coins(game)), draw).memory
        after = remembered(game, memory or "null")
        cases.append(Case(name, stake, drawn, played.segments, memory_after=after))
    return max(cases, key=lambda case: case.segments)


CASES = (*KNOWN, *(found(name) for name in names() if name not in {case.game for case in KNOWN}))


@pytest.mark.requirement("R8")
@pytest.mark.parametrize("case", [*CASES, found("neptune")], ids=lambda case: case.game)
def test_a_cut_after_every_segment_lands_on_the_same_beats(case: Case, tmp_path: Path) -> None:
    """After each segment nothing is left but the journal: steps, scene, win, memory are as if no cut had been."""
    game = load(case.game)
    expected = played_at_once(case)
    assert case.segments == len(expected)
    draw, guesses = Script(case.draws), iter(case.guesses)
    with opened(tmp_path) as store:
        round_id = store.transact(lambda tx: begin(tx, case, draw))
    for state in expected:
        with opened(tmp_path, create=False) as store:
            recorded = store.transact(lambda tx: rounds.recorded_round(tx, round_id))
            played = replay(game, recorded)
            assert state == RoundState.of(played)
            assert state.win_cents == recorded.win_cents
            stake_cents = recorded.wager.stake_cents
            assert CREDIT - stake_cents + state.win_cents == store.credit_cents
            if not played.ended:
                store.transact(partial(proceed, round_id=round_id, played=played, guesses=guesses, draw=draw))
    assert draw.spent
    assert recorded.state == "settled"
    assert encoded(case.memory_after) == recorded.memory_after


def test_every_game_is_cut() -> None:
    """No game of the catalogue is left out."""
    assert set(names()) == {case.game for case in CASES}
