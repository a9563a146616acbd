"""A round in play: the game's generator, advanced one segment at a time, live or from the journal."""

from collections import deque
from collections.abc import Iterator

import msgspec

from common.error_words import error_words
from controller.journal.rounds import RecordedRound, Segment, Wager
from controller.rounds.draws import OtherMathsError, Replay, ReplayMismatchError
from gamekit.play import Answer, Claim, Draw, Game, Memory, Offer, Scene, Stake
from ui.protocol.values import Bet


class Recorder:
    """A draw that records every (bound, value) pair."""

    def __init__(self, draw: Draw) -> None:
        self._draw = draw
        self.given: list[tuple[int, int]] = []

    def __call__(self, bound: int, /) -> int:
        """Draw a value and record it with its bound."""
        value = self._draw(bound)
        self.given.append((bound, value))
        return value


class Round:
    """One play of `game`, from its stake to its end.

    After each segment `steps` are its encoded steps, `scene` is the scene before them, and `offer` is what the play
    waits for (None when `ended`). `segment_cents` is the amount that the segment adds to the player's credit, and
    `win_cents` the sum so far; neither includes the amount at risk in the offer. `total_cents` is the win that the
    player sees, including the amount at risk, and `before_cents` the same before the newest segment. `jackpot` is
    whether the pool was claimed. `feature` is whether a feature was won (free spins, picks, Hold and Win, respins, but
    no gamble). `gambled` is whether the player has already guessed, or taken half.
    """

    def __init__(self, game: Game, stake: Stake, memory: str) -> None:
        self.game = game
        self.stake = stake
        self.segments = 0
        self.steps: tuple[msgspec.Raw, ...] = ()
        self.scene: Scene = game.idle
        self.offer: Offer | None = None
        self.segment_cents = 0
        self.win_cents = 0
        self.before_cents = 0
        self._paid_cents = 0
        self.ended = False
        self.jackpot = False
        self.feature = False
        self.gambled = False
        self._after: Scene = game.idle
        self._draw: Draw | None = None
        self._play = game.play(stake, self._forward, remembered(game, memory))

    def _forward(self, bound: int, /) -> int:
        if self._draw is None:
            raise ReplayMismatchError(f"{self.game.name} draws outside of its segments")
        return self._draw(bound)

    def advance(self, answer: int | None, draw: Draw) -> Segment:
        """Play to the next offer or the end; return that segment, which is not durable yet.

        `answer` is None for the first segment. Raises `ValueError` for an answer that was not offered.
        """
        self._check(answer)
        if self.offer is not None and self.offer.gamble and answer != self.offer.choices[0]:
            self.gambled = True
        recorder = Recorder(draw)
        steps: list[msgspec.Raw] = []
        memory = None
        self.scene = self._after
        self.before_cents = self.total_cents
        self._draw, self.offer = recorder, None
        to_send = None if answer is None else Answer(answer)
        while self.offer is None:
            try:
                step = self._play.send(to_send)
            except StopIteration as end:
                memory, self.ended = msgspec.json.encode(end.value).decode(), True
                break
            to_send = None
            steps.append(msgspec.Raw(msgspec.json.encode(step)))
            self._after = self.game.advance(self._after, self.stake, step)
            if isinstance(step, Offer):
                self.offer = step
                self.jackpot = self.jackpot or isinstance(step, Claim)
                self.feature = self.feature or not (isinstance(step, Claim) or step.gamble)
            else:
                self.feature = self.feature or step.wins_feature
                self._paid_cents += step.coins * self.stake.coin_value_cents + step.cents
        self._draw = None
        self.segments += 1
        self.steps = tuple(steps)
        secured = self._paid_cents - self.at_risk_cents
        self.segment_cents, self.win_cents = secured - self.win_cents, secured
        if self.segment_cents < 0:
            raise ValueError(f"{self.game.name} takes back {-self.segment_cents} cents that were the player's")
        return Segment(
            answer=answer,
            draws=tuple(recorder.given),
            steps=self.steps,
            win_cents=self.segment_cents,
            memory=memory,
        )

    def _check(self, answer: int | None) -> None:
        if self.ended:
            raise ValueError("the round has ended: nothing can be answered")
        if self.offer is None:
            if answer is not None or self.segments:
                raise ValueError("nothing is on offer: there is nothing to answer")
        elif answer is None or (answer not in self.offer.choices and not isinstance(self.offer, Claim)):
            raise ValueError(f"{answer} is not among the choices {self.offer.choices}")

    @property
    def at_risk_cents(self) -> int:
        """The part of the win that is at risk in the offer and not credited."""
        return 0 if self.offer is None else self.offer.at_risk_cents

    @property
    def total_cents(self) -> int:
        """The win of the round so far, credited or at risk."""
        return self.win_cents + self.at_risk_cents

    @property
    def final_scene(self) -> Scene:
        """The scene after the newest segment."""
        return self._after


def replay(game: Game, recorded: RecordedRound) -> Round:
    """Return the round after its last committed segment; its `steps` are that segment's.

    Raises `ReplayMismatchError` if the same draws and answers show or pay anything different, and its subclass
    `OtherMathsError` if the game has other mathematics.
    """
    newest = deque(replayed(game, recorded), maxlen=1)
    if not newest:
        raise ReplayMismatchError(f"round {recorded.id} has no segments")
    return newest[0]


def replayed(game: Game, recorded: RecordedRound) -> Iterator[Round]:
    """Replay a round and yield the same `Round` after each of its segments; raises as `replay` does."""
    wager = recorded.wager
    if (wager.maths_version, wager.maths_hash) != (game.maths_version, game.maths_hash):
        raise OtherMathsError(
            f"round {recorded.id} was played with {wager.game} maths {wager.maths_version} ({wager.maths_hash[:8]}),"
            f" this program has {game.maths_version} ({game.maths_hash[:8]})"
        )
    played = Round(game, stake_of(wager), recorded.memory_before)
    for number, segment in enumerate(recorded.segments):
        draws = Replay(segment.draws)
        try:
            again = played.advance(segment.answer, draws)
        except ReplayMismatchError:
            raise
        except Exception as error:  # any exception of a game here means that the replay does not match
            raise ReplayMismatchError(
                f"segment {number} of round {recorded.id} cannot be replayed: {error_words(error)}"
            ) from error
        draws.finish()
        if again.digest != segment.steps_sha256 or again.win_cents != segment.win_cents:
            raise ReplayMismatchError(f"segment {number} of round {recorded.id} shows something else than was shown")
        yield played


def remembered(game: Game, memory: str) -> Memory:
    """Return a journaled memory in the game's own type, or None for a bet that was never played."""
    decoded: Memory = None if game.memory_type is None else msgspec.json.decode(memory, type=game.memory_type | None)
    return decoded


def stake_of(wager: Wager) -> Stake:
    """Return the bet in the game's own type."""
    return Stake(
        lines=wager.bet.lines,
        coins_per_line=wager.bet.coins_per_line,
        coin_value_cents=wager.bet.coin_value_cents,
        price=wager.price,
        gamble_cap_cents=wager.gamble_cap_cents,
    )


def wager_on(game: Game, bet: Bet, price: int = 1, *, gamble_cap_cents: int | None = None) -> Wager:
    """Return the wager to record for this bet, or for a feature bought for `price` bets.

    The cap is recorded only for games with a gamble.
    """
    return Wager(
        game=game.name,
        maths_version=game.maths_version,
        maths_hash=game.maths_hash,
        bet=bet,
        price=price,
        gamble_cap_cents=gamble_cap_cents if game.gamble_cap_cents else None,
    )
