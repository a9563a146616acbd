"""`cabinet draws`: the output of the cabinet's random number generator, for test batteries such as dieharder."""

import sys
from collections.abc import Iterator
from typing import NamedTuple

import click

from controller.commands.game_name import GameName
from controller.rounds.randomness import RandomnessError, WatchedGenerator
from gamekit.catalogue import load
from gamekit.play import Answer, Game, Offer

CHUNK = 65_536
STAKE = "Stake"
"""What stands in place of a step for draws before the first one."""


class Drawn(NamedTuple):
    """A draw: its bound and value, the number of its round, and the kind of step that the game gave before it."""

    bound: int
    value: int
    round: int
    after: str


@click.command()
@click.option("--game", type=GameName(), required=True, help="Whose draws to write, when they are scaled.")
@click.option("--count", type=click.IntRange(min=1), required=True, help="How many draws, or bytes with --raw.")
@click.option("--raw", is_flag=True, help="The generator's bytes as they are (dieharder -g 200).")
@click.option("--points", is_flag=True, help="Add the round's number and the step after which it was drawn.")
def draws(game: str, count: int, *, raw: bool, points: bool) -> None:
    """Write draws of this machine's random generator to standard output, with its health tests running.

    Scaled draws are lines of bound and value, in the order in which rounds of GAME at its highest bet draw them; every
    choice is answered by the first one offered.
    """
    if raw and points:
        raise click.UsageError("--raw writes bytes, which no game has drawn: leave --points out")
    try:
        generator = WatchedGenerator()
        if raw:
            for start in range(0, count, CHUNK):
                sys.stdout.buffer.write(generator.raw(min(CHUNK, count - start)))
            sys.stdout.buffer.flush()
            return
        drawn = scaled(load(game), generator)
        for _ in range(count):
            one = next(drawn)
            where = f" {one.round} {one.after}" if points else ""
            sys.stdout.write(f"{one.bound} {one.value}{where}\n")
    except RandomnessError as error:
        raise click.ClickException(str(error)) from error


def scaled(game: Game, generator: WatchedGenerator) -> Iterator[Drawn]:
    """Yield each draw of successive rounds of `game`."""
    drawn: list[Drawn] = []
    number, after = 0, STAKE  # of the draw that is asked for next

    def draw(bound: int, /) -> int:
        drawn.append(Drawn(bound, generator.draw(bound), number, after))
        return drawn[-1].value

    stake = game.stakes()[-1]
    memory = None
    while True:
        number, after = number + 1, STAKE
        play = game.play(stake, draw, memory)
        answer: Answer | None = None
        while True:
            try:
                step = play.send(answer)
            except StopIteration as end:
                memory = end.value
                break
            after = type(step).__name__
            answer = Answer(next(iter(step.choices), 0)) if isinstance(step, Offer) else None
        yield from drawn
        drawn.clear()
