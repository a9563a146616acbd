"""A progressive jackpot inside a play: the pool, not the player, answers what it pays."""

from collections.abc import Generator

from gamekit.beats import AnswerError, JackpotWon
from gamekit.play import Answer, Claim, Step


def claim_pool() -> Generator[Step, Answer | None, int]:
    """Claim the pool, pay its whole coins and return them; raises `AnswerError` for no answer or fewer than 0 coins."""
    offer = Claim()
    answer = yield offer
    if answer is None or answer.choice < 0:
        raise AnswerError(offer, answer)
    yield JackpotWon(coins=answer.choice)
    return answer.choice
