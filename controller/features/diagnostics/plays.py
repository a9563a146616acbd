"""Rounds without a stake: drawn from a seed, with their own game memory, and verified by replay."""

from collections.abc import Sequence

from controller.play.combination import widest_stake
from controller.rounds.draws import Replay, seeded_source
from controller.rounds.engine import Recorder
from gamekit.play import Answer, Claim, Draw, Game, Memory, Offer, Scene, Step


class PlayError(ValueError):
    """A round gave a different result from the same draws."""


class DemoPlays:
    """Plays rounds of `game` one after another; `coins` is their total win, which is not paid."""

    def __init__(self, game: Game, seed: int) -> None:
        self.rounds = 0
        self.coins = 0
        self._game = game
        self._draws = seeded_source(seed)
        self._memory: Memory = None

    def play(self) -> Scene:
        """Play a round twice from the same draws, and return its final scene.

        Raise `PlayError` if the two differ, and `ReplayMismatchError` if the second requests other draws.
        """
        recorder = Recorder(self._draws(self.rounds, 0))
        steps, memory = self._steps(recorder)
        replay = Replay(recorder.given)
        again = self._steps(replay)
        replay.finish()
        if again != (steps, memory):
            raise PlayError(f"round {self.rounds + 1} of {self._game.name} replays otherwise than it was played")
        self.rounds += 1
        self._memory = memory
        scene, stake = self._game.idle, widest_stake(self._game)
        for step in steps:
            scene = self._game.advance(scene, stake, step)
            self.coins += 0 if isinstance(step, Offer) else step.coins
        return scene

    def _steps(self, draw: Draw) -> tuple[Sequence[Step], Memory]:
        """Return all steps of one round, with the first choice of every offer, and the game memory after it."""
        play = self._game.play(widest_stake(self._game), draw, self._memory)
        steps: list[Step] = []
        answer: Answer | None = None
        while True:
            try:
                step = play.send(answer)
            except StopIteration as ended:
                memory: Memory = ended.value
                return steps, memory
            steps.append(step)
            answer = None
            if isinstance(step, Claim):
                answer = Answer(self._game.pool.seed_coins if self._game.pool else 0)
            elif isinstance(step, Offer):
                answer = Answer(step.choices[0])
