"""An hour in front of a whole display: every screen of all games and of the machine, over and over, on virtual time.

The display is the production one, put together as in its process, with a frame mirror. The supervisor's end of its
socket is here: it sends the programme's screens (`tests/ui/programme.py`) and rounds of the production games.
"""

import random
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Self

from gamekit import catalogue
from gamekit.play import Answer, Beat, Offer, Scene, Stake, Step
from tests.rigs.views import changed
from tests.ui.programme import PROGRAMME, Screenplay
from tests.ui.rehearsal import ATTRACT, BAKED, GAMES, ROUND_CONTROLS, Rehearsal, game_view
from ui.kept_language import KeptLanguage
from ui.protocol.messages import MAX_PACKET, Hello, Show, Snapshot, ToDisplay, View, encode, raw
from ui.protocol.values import Bet
from ui.start import put_together

STEP_S = 1 / 4
"""How often the display's loop is turned: a fifteenth of its own pace, for what it holds is not a matter of frames."""
PAUSE_S = 1.0
"""How long each screen is looked at."""
ROUNDS = 8
"""How many rounds of a game are played at each visit."""
PAGES = 8
"""How many pages of a paytable are turned at the most; the last turn goes round."""
LONGEST_SHOW_S = 60.0
PATIENCE_S = 20.0

_SHARED_CREDIT = 12_350


class Tour(Rehearsal):
    """A rehearsal on a whole display: what is published goes over its socket, and its own loop draws.

    Use it as a context manager.
    """

    def __init__(self, run: Path, scale: float = 1, shape: str = "wide", step_s: float = STEP_S) -> None:
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._listener.bind(str(run / "display.sock"))
        self._listener.listen(1)
        self._listener.settimeout(PATIENCE_S)
        self.display = put_together(
            socket=run / "display.sock",
            touch=None,
            frame_mirror=run / "glass",
            baked=BAKED,
            shape=shape,
            scale=scale,
            compose="software",
            starts=None,
            kept=KeptLanguage(),
        )
        self.screen, self.director = self.display._screen, self.display._director
        self.scene_manager, self.context = self.display._scene_manager, self.display._context
        self.now = 100.0
        self.said = []
        self._language = "en"
        self._turn = self._number = 0
        self._step_s = step_s
        self.opened_s: dict[str, list[float]] = {}
        """How long each game's first whole picture was waited for at each of its openings, in real seconds."""
        self.display.turn(self.now)
        self._peer, _ = self._listener.accept()
        self._peer.settimeout(0)
        self._send(Hello())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._peer.close()
        self._listener.close()
        self.display._screen.close()

    def view(self, view: View) -> None:
        """Publish a view and let the display draw it whole."""
        self._turn += 1
        self._send(Snapshot(self._turn, view))
        self._turn_until_whole()

    def publish(self, show: Show) -> None:
        """Send a show over the socket."""
        self._send(show)
        self._turn_once()

    def wait(self, seconds: float) -> None:
        """Let virtual time pass, with a turn of the display's loop at each step."""
        until = self.now + seconds
        while self.now < until:
            self.now = min(until, self.now + self._step_s)
            self._turn_once()

    def open(self, game: str) -> None:
        """Go from the lobby to a game, and note how long its first picture takes."""
        began = time.monotonic()
        self.view(game_view(game))
        self.opened_s.setdefault(game, []).append(time.monotonic() - began)

    def _send(self, message: ToDisplay) -> None:
        self._peer.send(encode(message))

    def _turn_once(self) -> None:
        self.display.turn(self.now)
        with suppress(BlockingIOError):
            while True:
                self._peer.recv(MAX_PACKET)

    def _turn_until_whole(self) -> None:
        self._turn_once()
        deadline = time.monotonic() + PATIENCE_S
        while not self.scene_manager.frame_complete:
            assert time.monotonic() < deadline, "the picture does not become whole"
            self._turn_once()


def stops(tour: Tour, games: Sequence[str] = GAMES, seed: int = 1) -> Iterator[str]:
    """Go round `games` and all screens of theirs for ever; yield the name of each game as it is left."""
    chance = random.Random(seed)
    for number in count():
        for game in games:
            tour.view(ATTRACT)
            tour.wait(10 * PAUSE_S)
            tour.view(changed(ATTRACT, state="lobby", credit_cents=_SHARED_CREDIT))
            tour.wait(PAUSE_S)
            tour.open(game)
            tour.wait(PAUSE_S)
            _pages(tour, game)
            for _ in range(ROUNDS):
                _round(tour, game, chance)
            for play in _screens(game, machine=number % 4 == 0):
                _watch(tour)
                tour.view(game_view(game))
                play(tour)
                tour.wait(PAUSE_S)
            yield game


def _screens(game: str, *, machine: bool) -> list[Screenplay]:
    """Return the game's own screens of the programme, Neptune's the shared ones; with `machine` the service menu's."""
    others = tuple(f"{name}_" for name in GAMES if name != "neptune")
    if game != "neptune":
        return [play for name, play in PROGRAMME.items() if name.startswith(f"{game}_")]
    left_out = others if machine else (*others, "service", "recall")
    return [play for name, play in PROGRAMME.items() if not name.startswith(left_out)]


def _pages(tour: Tour, game: str) -> None:
    for page in range(PAGES):
        tour.view(game_view(game, state="paytable", focus=f"page:{page}", controls=("paytable_close",)))
        tour.wait(PAUSE_S / 2)
    items = ("paytable", "sound", "settings", "history", "home")
    tour.view(game_view(game, state="menu", menu=items, focus="sound", controls=items))
    tour.wait(PAUSE_S)
    tour.view(game_view(game))


def _round(tour: Tour, game: str, chance: random.Random) -> None:
    """Play a round of the production game, each of its segments as a show, each offer answered at random."""
    played = catalogue.load(game)
    view = game_view(game, state="round", controls=ROUND_CONTROLS)
    bet = view.bet or Bet(lines=1, coins_per_line=1, coin_value_cents=1)
    stake = Stake(lines=bet.lines, coins_per_line=bet.coins_per_line, coin_value_cents=bet.coin_value_cents)
    scene: Scene = played.idle
    tour.view(view)
    credit = won = 0
    play = played.play(stake, chance.randrange, None)
    answer: Answer | None = None
    segment: list[Step] = []
    over = False
    while not over:
        try:
            step = play.send(answer)
            answer = None
            segment.append(step)
            scene = played.advance(scene, stake, step)
            won += (step.coins * bet.coin_value_cents + step.cents) if isinstance(step, Beat) else 0
        except StopIteration:
            over = True
        if not over and not isinstance(segment[-1], Offer):
            continue
        credit = _SHARED_CREDIT + won
        tour.show(segment, credit_cents=credit, win_cents=won)
        _watch(tour)
        if not over:
            offer = segment[-1]
            assert isinstance(offer, Offer)
            tour.view(game_view(game, state="offer", scene=raw(scene), offer=raw(offer), win_cents=won))
            answer = Answer(chance.choice(offer.choices or (10_000,)))
            segment = []
    tour.view(game_view(game, scene=raw(scene), win_cents=won, credit_cents=credit))
    tour.wait(PAUSE_S)


def _watch(tour: Tour) -> None:
    """Let a show be seen to its end."""
    until = tour.now + LONGEST_SHOW_S
    while (performance := tour.director.performance) is not None and not performance.ended and tour.now < until:
        tour.wait(tour._step_s)
