"""Bewitched's richest round, cut after each of its segments: what the journal kept brings it back to the same place."""

from controller.journal.rounds import RecordedRound, RecordedSegment, Segment, Wager
from controller.rounds import Round, replay
from games.bewitched import GAME
from games.bewitched.pays import BATTLE_SPINS, POOL
from games.double_up import RED, DoubleUp
from games.play import Claim, Stake
from tests.games.bewitched_table import MOONS_AND_MERLINS, MOONS_AND_WITCHES, NOTHING, WON, jackpot, spins
from tests.games.table import Script

STAKE = Stake(lines=1, coins_per_line=2, coin_value_cents=5)
WAGER = Wager(
    game=GAME.name,
    maths_version=GAME.maths_version,
    maths_hash=GAME.maths_hash,
    lines=STAKE.lines,
    coins_per_line=STAKE.coins_per_line,
    coin_value_cents=STAKE.coin_value_cents,
)
SPINS = BATTLE_SPINS[2] + 15
RICHEST = [
    *(*MOONS_AND_MERLINS, spins(15, 2)),
    *(*MOONS_AND_WITCHES, WON),
    *(*MOONS_AND_MERLINS, jackpot(2)),
    *NOTHING * (SPINS - 2),
    *(0, 0, 1),
]


def recorded(segments: list[Segment], win_cents: int) -> RecordedRound:
    """Return the round as the journal would keep it after `segments`."""
    return RecordedRound(
        id=1,
        wager=WAGER,
        state="open",
        win_cents=win_cents,
        credit_before_cents=1000,
        memory_before="null",
        memory_after=None,
        segments=tuple(
            RecordedSegment(
                answer=segment.answer,
                draws=segment.draws,
                steps_sha256=segment.digest,
                win_cents=segment.win_cents,
            )
            for segment in segments
        ),
    )


def answer_to(played: Round) -> int:
    """Guess red every time, take the pool's seed, and open what is offered first."""
    offer = played.offer
    assert offer is not None
    if isinstance(offer, Claim):
        return POOL.seed_coins
    return RED if isinstance(offer, DoubleUp) else offer.choices[0]


def test_a_cut_after_every_segment_lands_on_the_same_beats() -> None:
    """Vials, free spins, battle, jackpot and double: after each segment the replayed round stands where it stood."""
    draw = Script(RICHEST)
    played = Round(GAME, STAKE, "null")
    segments = [played.advance(None, draw)]
    while not played.ended:
        again = replay(GAME, recorded(segments, played.win_cents))
        assert (again.steps, again.offer, again.standing, again.win_cents) == (
            played.steps,
            played.offer,
            played.standing,
            played.win_cents,
        )
        segments.append(played.advance(answer_to(played), draw))
    assert draw.spent
    assert len(segments) == 1 + 3 + SPINS + 3 + 1 + 3
    assert replay(GAME, recorded(segments, played.win_cents)).ended
    assert played.win_cents == sum(segment.win_cents for segment in segments)
