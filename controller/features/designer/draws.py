"""`cabinet draws`: the output of the cabinet's random number generator, for test batteries such as dieharder."""

import sys
from collections.abc import Iterator

import click

from controller.commands.game_name import GameName
from controller.rounds.randomness import RandomnessError, WatchedGenerator
from gamekit.catalogue import load
from gamekit.play import Answer, Game, Offer

CHUNK = 65_536


@click.command()
@click.option("--game", type=GameName(), required=True, help="Whose draws to write, when they are scaled.")
@click.option("--count", type=click.IntRange(min=1), required=True, help="How many draws, or bytes with --raw.")
@click.option("--raw", is_flag=True, help="The generator's bytes as they are (dieharder -g 200).")
def draws(game: str, count: int, *, raw: bool) -> None:
    """Write draws of this machine's random generator to standard output, with its health tests running.

    Scaled draws are lines of bound and value, in the order in which rounds of GAME at its highest bet draw them; every
    choice is answered by the first one offered.
    """
    try:
        generator = WatchedGenerator()
        if raw:
            for start in range(0, count, CHUNK):
                sys.stdout.buffer.write(generator.raw(min(CHUNK, count - start)))
            sys.stdout.buffer.flush()
            return
        drawn = scaled(load(game), generator)
        for _ in range(count):
            bound, value = next(drawn)
            sys.stdout.write(f"{bound} {value}\n")
    except RandomnessError as error:
        raise click.ClickException(str(error)) from error


def scaled(game: Game, generator: WatchedGenerator) -> Iterator[tuple[int, int]]:
    """Yield bound and value of each draw of successive rounds of `game`."""
    drawn: list[tuple[int, int]] = []

    def draw(bound: int, /) -> int:
        drawn.append((bound, generator.draw(bound)))
        return drawn[-1][1]

    stake = game.stakes()[-1]
    memory = None
    while True:
        play = game.play(stake, draw, memory)
        answer: Answer | None = None
        while True:
            try:
                step = play.send(answer)
            except StopIteration as end:
                memory = end.value
                break
            answer = Answer(next(iter(step.choices), 0)) if isinstance(step, Offer) else None
        yield from drawn
        drawn.clear()
