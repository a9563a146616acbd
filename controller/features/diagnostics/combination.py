"""T.17, combination test: choose each reel's stop; the game's own evaluation returns the wins of the window."""

from collections.abc import Sequence

from controller.features.diagnostics.context import TestContext
from controller.features.diagnostics.device_test import DeviceTest, device_test_page
from controller.features.diagnostics.events import DiagnosticEvent
from controller.play.combination import Combination, combination, reel_lengths, widest_stake
from controller.service.covering import covered
from controller.service.page import DeviceAction, Line
from controller.service.past_rounds import bet_lines
from gamekit.catalogue import load
from gamekit.play import Game, Stake
from gamekit.ways_scene import ways_of
from ui.protocol.messages import View
from ui.protocol.values import Bet, PastRound

_FAR = 10
_STEPS = {"up": -1, "down": 1, "first": -_FAR, "last": _FAR}
NOTHING, BEGINS = "nothing", "a feature"
CHOOSE = "Choose a game: nothing is drawn, staked or paid"


class CombinationTest(DeviceTest):
    """A chosen window on the game's own screen, over the page and marked as a test."""

    def __init__(self, context: TestContext) -> None:
        super().__init__(context)
        self._game: Game | None = None
        self._lengths: tuple[int, ...] = ()
        self._stops: list[int] = []
        self._reel = 0
        self._stake = Stake(lines=1, coins_per_line=1)
        self.judged: Combination | None = None

    @property
    def six_keys(self) -> bool:
        """While a window is shown, two more keys move by ten stops."""
        return self._game is not None

    def lines(self) -> Sequence[Line]:
        """Return the games to choose from, or the window and its pay: eight figures, then each win."""
        if self._game is None or self.judged is None:
            games = [load(name) for name in self.context.machine.settings.config.games.enabled]
            return (Line(CHOOSE, tone="heading"), *(self._choice(game) for game in games))
        judged, stake, ways = self.judged, self._stake, ways_of(self._game)
        stops = " \u00b7 ".join(
            f"[{stop + 1}]" if reel == self._reel else str(stop + 1) for reel, stop in enumerate(self._stops)
        )
        return (
            Line("Stops", stops, tone="heading"),
            Line("Reel", f"{self._reel + 1} / {len(self._stops)}"),
            *bet_lines(self._game, Bet(stake.lines, stake.coins_per_line, stake.coin_value_cents)),
            Line("Symbols that win", count=len(judged.ways))
            if ways
            else Line("Lines that win", count=len(judged.lines)),
            Line("Scatters", count=judged.scatter.count if judged.scatter else 0),
            Line("Win in coins", count=judged.coins, tone="good" if judged.coins else "plain"),
            Line("Would begin", BEGINS if judged.feature else NOTHING),
            *(Line("Line {place}", place=str(win.line), count=win.coins) for win in judged.lines),
        )

    def _choice(self, game: Game) -> Line:
        return Line(game.title, leads=DeviceAction(lambda _submission: self._show(game)))

    async def _show(self, game: Game) -> str:
        coin_value = self.context.machine.settings.config.games.coin_values_cents[0]
        self._game, self._reel, self._stake = game, 0, widest_stake(game, coin_value)
        self._lengths = reel_lengths(game)
        self._stops = [stop % length for stop, length in zip(_idle_stops(game), self._lengths, strict=True)]
        self._judge()
        await self.context.record(DiagnosticEvent.COMBINATIONS_SHOWN, game=game.name)
        return ""

    def _judge(self) -> None:
        if self._game is not None:
            self.judged = combination(self._game, self._stops, self._stake)

    def key(self, key: str) -> bool:
        """Move the chosen reel, select the next one, or leave the window."""
        if self._game is None:
            return False
        if key == "back":
            self._game = self.judged = None
        elif key == "enter":
            self._reel = (self._reel + 1) % len(self._stops)
        elif key in _STEPS:
            length = self._lengths[self._reel]
            self._stops[self._reel] = (self._stops[self._reel] + _STEPS[key]) % length
            self._judge()
        return True

    def view(self, view: View) -> View:
        """Return `view` with the chosen window on the game's reels, without the machine's own play."""
        game, judged, stake = self._game, self.judged, self._stake
        if game is None or judged is None:
            return view
        return covered(
            view,
            past=PastRound(number=0, game=game.name, when="", bet_cents=0, win_cents=0, state="test"),
            bet=Bet(lines=stake.lines, coins_per_line=stake.coins_per_line, coin_value_cents=stake.coin_value_cents),
            scene=judged.scene,
            companion=view.terms.witch,
        )


def _idle_stops(game: Game) -> tuple[int, ...]:
    """Return the stops of a game's idle screen, or stop 0 on each reel."""
    return getattr(game.idle, "stops", (0,) * game.reels)


PAGES = (device_test_page("T.17", "Combination test", CombinationTest),)
