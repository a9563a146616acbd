"""`python -m ui.redraw FOLDER`: redraws a recorded round, one picture per segment, with the display's own code.

The record is read as JSON from standard input, in the form that a cabinet sends to its venue (docs/venue-protocol.md),
with the `language` and `money` (`ui.protocol.values.Money`) in which it is drawn. The round is replayed from its draws
and answers. `NN.png` in the folder is the screen after each segment, and after each window of a cascade. `round.json`
lists the pictures and says whether every recorded hash was reproduced. Exit codes: 0 drawn, 1 not drawn, with the
reason.
"""

import argparse
import hashlib
import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
os.environ["SDL_VIDEODRIVER"] = "dummy"

import msgspec
import pygame

from gamekit.catalogue import UnknownGameError, load
from gamekit.play import Answer, Game, Offer, Scene, Stake, Step
from gamekit.ways_scene import windows_of
from ui import theme
from ui.atlas import ArtError
from ui.director import Director
from ui.draw_context import DrawContext
from ui.layout import SHAPES
from ui.protocol.messages import Snapshot, View, raw
from ui.protocol.values import Bet, Money
from ui.protocol.view_parts import Balance, Locale, ShownRound, Terms
from ui.scene_manager import SceneManager
from ui.screen import Screen
from ui.stage import Stage

LARGEST = 8 * 1024 * 1024
"""The largest record in bytes."""
SETTLED = "settled"
"""The state of a round whose win was paid."""
SETTLED_S = 3.0
"""Seconds of the display's time after which a picture is taken, when moving parts have come to rest."""


class Segment(msgspec.Struct, frozen=True):
    """One recorded segment: the answer that began it, its (bound, value) draws, and the hash of its steps."""

    answer: int | None
    draws: list[tuple[int, int]]
    win_cents: int
    sha256: str


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A recorded round."""

    round: int
    game: str
    maths_hash: str
    bet: Bet
    segments: list[Segment]
    price: int = 1
    gamble_cap_cents: int | None = None
    companion: int | None = None
    state: str = "settled"
    win_cents: int = 0
    credit_before_cents: int = 0
    memory_before: str = "null"
    language: str = "en"
    money: Money = Money()

    @property
    def credit_after_stake_cents(self) -> int:
        """The credit shown from the stake to the end of the round."""
        return self.credit_before_cents - self.bet.cents * self.price

    @property
    def credit_at_end_cents(self) -> int:
        """The credit at the end: with the win, or with the returned stake."""
        if self.state != SETTLED:
            return self.credit_before_cents
        return self.credit_after_stake_cents + self.win_cents


class RedrawError(ValueError):
    """The round cannot be drawn; the message says why."""


class Shown(NamedTuple):
    """The screen after a segment or, unless it is the `last`, after a window of its cascades."""

    scene: Scene
    offer: Offer | None
    win_cents: int
    answer: int | None
    matches: bool
    last: bool


class _Draws:
    """Returns the recorded values again; raises `RedrawError` for another bound."""

    def __init__(self) -> None:
        self.left: list[tuple[int, int]] = []

    def __call__(self, bound: int, /) -> int:
        if not self.left or self.left[0][0] != bound:
            raise RedrawError("the round asks for other draws than were recorded")
        return self.left.pop(0)[1]


def replayed(game: Game, record: Record) -> Iterator[Shown]:
    """Replay the round and yield what it shows after each segment and after each window of a cascade.

    Raises `RedrawError`.
    """
    if record.maths_hash != game.maths_hash:
        raise RedrawError(f"the round was played with other mathematics of {game.title} than this program has")
    bet = record.bet
    stake = Stake(
        lines=bet.lines,
        coins_per_line=bet.coins_per_line,
        coin_value_cents=bet.coin_value_cents,
        price=record.price,
        gamble_cap_cents=record.gamble_cap_cents,
    )
    kind = game.memory_type
    memory = None if kind is None else msgspec.json.decode(record.memory_before, type=kind | None)
    draws, scene, paid = _Draws(), game.idle, 0
    play = game.play(stake, draws, memory)
    for segment in record.segments:
        draws.left = list(segment.draws)
        answer = None if segment.answer is None else Answer(segment.answer)
        steps: list[Step] = []
        offer: Offer | None = None
        while offer is None:
            try:
                step = play.send(answer)
            except StopIteration:
                break
            answer = None
            steps.append(step)
            offer = step if isinstance(step, Offer) else None
        digest = hashlib.sha256(b"\n".join(map(msgspec.json.encode, steps))).hexdigest()
        matches, left = digest == segment.sha256 and not draws.left, len(steps)
        for seen in windows_of(game, scene, stake, steps):
            scene, paid, left = seen.scene, paid + seen.cents, left - len(seen.steps)
            yield Shown(scene, None if left else offer, paid, segment.answer, matches, last=not left)


def _view(record: Record, shown: Shown, *, last: bool) -> View:
    return View(
        state="round" if shown.offer is None else "offer",
        game=record.game,
        bet=record.bet,
        round=ShownRound(
            played_bet=record.bet, scene=raw(shown.scene), offer=raw(shown.offer), win_cents=shown.win_cents
        ),
        terms=Terms(
            bets_cents=() if load(record.game).total_bets is None else (record.bet.cents,), witch=record.companion or 0
        ),
        balance=Balance(credit_cents=record.credit_at_end_cents if last else record.credit_after_stake_cents),
        locale=Locale(language=record.language, money=record.money),
    )


def draw(record: Record, folder: Path, baked: Path) -> bool:
    """Write the pictures of `record` and their list; return whether the replay matches. Raises `RedrawError`."""
    game = load(record.game)
    layout = SHAPES["wide"]
    screen = Screen(1, layout=layout, window=False)
    director = Director(cache(theme.load))
    manager = SceneManager(Stage(screen.canvas, 1), director, DrawContext(baked, 1, layout))
    shots: list[dict[str, object]] = []
    matches = True
    segments = 0
    for number, shown in enumerate(replayed(game, record), start=1):
        segments += shown.last
        last = shown.last and segments == len(record.segments)
        director.handle(Snapshot(number, _view(record, shown, last=last)), 100.0 * number)
        manager.draw(100.0 * number)  # from here on a wipe removes the previous picture
        director.advance(100.0 * number + SETTLED_S)
        manager.draw(100.0 * number + SETTLED_S)
        name = f"{number:02d}.png"
        pygame.image.save(screen.picture(), str(folder / name))
        credit = director.view.balance.credit_cents
        shots.append({"name": name, "win_cents": shown.win_cents, "credit_cents": credit, "answer": shown.answer})
        matches &= shown.matches
    message = "" if matches else "a segment shows something else than was recorded"
    (folder / "round.json").write_bytes(msgspec.json.encode({"shots": shots, "matches": matches, "message": message}))
    return matches


def main() -> int:
    """Read the record and draw it."""
    parser = argparse.ArgumentParser(prog="python -m ui.redraw", description="Draw a recorded round again.")
    parser.add_argument("--baked", type=Path, default=Path("build/baked"), help="the baked art (cabinet bake)")
    parser.add_argument("folder", type=Path, help="where the pictures are written")
    arguments = parser.parse_args()
    try:
        record = msgspec.json.decode(sys.stdin.buffer.read(LARGEST), type=Record)
        pygame.font.init()
        draw(record, arguments.folder, arguments.baked)
    except (RedrawError, UnknownGameError, ArtError, msgspec.MsgspecError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
