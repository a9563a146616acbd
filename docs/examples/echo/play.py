"""Lagoon's play: the declared one, and the echo of its line wins."""

from collections.abc import Generator

from gamekit.beats import LineWin, ReelsLanded
from gamekit.declared.play import DeclaredPlay
from gamekit.play import Answer, Draw, Memory, Stake, Step
from games.lagoon.definition import DEFINITION
from games.lagoon.pays import ECHO_ONE_IN
from games.lagoon.steps import LinesPaidAgain

_declared = DeclaredPlay(DEFINITION)


def play(stake: Stake, draw: Draw, memory: Memory = None) -> Generator[Step, Answer | None, Memory]:
    """Play one round: the echo is drawn once the lines of the paid spin have paid, before anything that follows."""
    steps = _declared(stake, draw, memory)
    coins = 0
    step = next(steps, None)
    while isinstance(step, ReelsLanded | LineWin):
        coins += step.coins
        yield step
        step = next(steps, None)
    if coins and draw(ECHO_ONE_IN) == 0:
        yield LinesPaidAgain(coins=coins)
    if step is not None:
        yield step  # a beat: in front of every offer stands the beat that brings it
        yield from steps
    return None
