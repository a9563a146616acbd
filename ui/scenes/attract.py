"""Attract mode: nobody plays; the cabinet shows its games in turn and invites players to insert money.

Each game is shown by its card and then by a moment: one of its highlights, played by its own code. Games and highlights
follow a random order (`ui/running_order.py`). A thread prepares the moment while the card is shown; if it is not ready,
or the computer is hot, the next card follows.
"""

import sys
import threading
from collections.abc import Sequence

from common.error_words import error_words
from gamekit.highlights import Highlight, Played, StaleHighlightsError, highlights_of, replay
from gamekit.play import Game
from ui.atlas import World
from ui.director import Director
from ui.draw_context import Control, DrawContext
from ui.frame_budget import StillComingError
from ui.protocol.messages import View
from ui.protocol.view_parts import LobbyGames
from ui.running_order import RunningOrder
from ui.scenes.attract_card import Call, Card
from ui.scenes.demonstration import Demonstration
from ui.scenes.moments import entered
from ui.scenes.playback import Playback
from ui.scenes.wipe import Wipe
from ui.stage import Stage
from ui.theme import Theme

TURN_S = 9.0
"""Seconds for which a card is shown."""
LATE_S = TURN_S / 2
FRAME_S = 1 / 30


class Attract:
    """The attract screen; `order` determines what comes next."""

    def __init__(self, context: DrawContext, order: RunningOrder) -> None:
        self._context = context
        self._layout = context.layout
        self._order = order
        self._backdrop = context.scenery(context.shared, "attract")
        self._call = Call(context)
        self._card = Card(context)
        self._highlights: dict[str, Sequence[Highlight]] = {}
        self._game = ""
        self._next = ""
        self._since: float | None = None
        self._coming: _Coming | None = None
        self._moment: Demonstration | None = None
        self._credit = 0
        self._wipe: Wipe | None = None
        self._wiped = False
        self._whole = False

    def __repr__(self) -> str:
        return f"<Attract {self._game} {'card' if self._moment is None else self._moment}>"

    @property
    def shown(self) -> tuple[str, Demonstration | None]:
        """The current game and its moment, which is None while its card is shown."""
        return self._game, self._moment

    def controls(self, _director: Director) -> list[Control]:
        """Return one control, `screen`, for a touch anywhere: it opens the lobby if the supervisor allows it."""
        return [("screen", self._layout.whole)]

    def due(self, _director: Director, now: float) -> float:
        """Return when the next frame is due: 30 frames a second, or only card changes while the computer is hot."""
        if not self._context.calm or self._moment is not None or self._since is None:
            return now + FRAME_S
        late, over = self._since + LATE_S, self._since + TURN_S
        return late if now < late else max(over, now + FRAME_S)

    def prepare(self, director: Director) -> bool:
        """Prepare part of the coming moment; return whether there may be more."""
        coming = self._coming
        if coming is None or coming.is_alive() or self._moment is not None:
            return False
        demonstration = coming.demonstration(self._context, director.view)
        return demonstration is not None and demonstration.prepare()

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the screen."""
        view = director.view
        self._advance(stage, view, now)
        self._whole = False
        if self._moment is not None:
            self._moment.draw(stage, now)
        else:
            stage.begin(self._backdrop)
            if self._since is not None:
                still = self._since if self._context.calm else now
                self._card.draw(stage, self._game, view, still, late=now >= self._since + LATE_S)
        self._draw_wipe(stage, now)
        self._call.draw(stage, view, (self._since or 0.0) if self._context.calm else now)
        self._whole = True

    def _advance(self, stage: Stage, view: View, now: float) -> None:
        """Advance to the card or the moment that is due."""
        if not view.lobby.games:
            self._since = self._coming = self._moment = None
        elif self._since is None or self._game not in view.lobby.games:
            self._turn(view.lobby, now)
        elif self._moment is not None:
            ended = self._moment.playback.ended(now)
            if ended or self._context.calm or view.balance.credit_cents != self._credit:
                self._turn(view.lobby, now, stage if ended else None)
            else:
                self._moment.playback.follow(view, now)
        elif now >= self._since + TURN_S:
            self._begin_moment(stage, view, now)
        if self._since is not None and self._coming is None and now >= self._since + LATE_S:
            self._card.fetch(self._following(view.lobby))

    def _following(self, lobby: LobbyGames) -> str:
        """Return the next game."""
        if self._next not in lobby.games:
            self._next = self._order.game(lobby.games)
        return self._next

    def _turn(self, lobby: LobbyGames, now: float, stage: Stage | None = None) -> None:
        """Change to the next game's card; on a `stage` with the wipe of the previous game's world."""
        game = self._following(lobby)
        theme = self._context.themes.theme(game)
        self._wipe = None
        if stage is not None:
            self._leave(stage, self._context.themes.theme(self._game), now)
        self._moment = self._coming = None
        self._context.open(theme.world)  # release the other games' pictures
        self._game, self._next, self._since = game, "", now
        self._coming = None if self._context.calm else self._made_ready(theme, lobby)

    def _begin_moment(self, stage: Stage, view: View, now: float) -> None:
        """Begin the moment after the card if it is ready, else show the next card."""
        moment = None
        if self._coming is not None and not self._context.calm:
            if self._coming.is_alive():
                try:
                    self._context.budget.wait(self._coming)
                except StillComingError:
                    return  # the card stays a little longer
            moment = self._coming.demonstration(self._context, view)
        if moment is None:
            self._turn(view.lobby, now)
            return
        self._leave(stage, self._context.themes.theme(self._game), now)
        self._moment, self._coming, self._credit, self._since = moment, None, view.balance.credit_cents, now

    def _made_ready(self, theme: Theme, lobby: LobbyGames) -> "_Coming | None":
        """Prepare the next highlight of a game; return None if it has none, or none whose bet is available."""
        game, context = theme.game, self._context
        if game.name not in self._highlights:
            try:
                self._highlights[game.name] = highlights_of(game)
            except StaleHighlightsError:
                self._highlights[game.name] = ()  # `cabinet check-game` reports it
        chosen = choose(game, self._highlights[game.name], lobby, self._order)
        if chosen is None:
            return None
        worlds = {context.world(theme), context.on_reels(theme)}
        worlds |= {context.world(theme, zoom) for zoom in (self._layout.signs.logo_zoom, self._layout.feature_zoom)}
        return _Coming(theme, *chosen, list(worlds))

    def _leave(self, stage: Stage, theme: Theme, now: float) -> None:
        """Store the current picture, to be wiped away in the style of a game's world."""
        if self._whole:
            still = stage.still(self._layout.whole)
            self._wipe, self._wiped = Wipe(still, stage.scale, theme.wipe, self._context.world(theme), now), False

    def _draw_wipe(self, stage: Stage, now: float) -> None:
        """Draw the wipe over the new picture, from the first complete one on."""
        if self._wipe is None:
            return
        if not self._wiped:
            self._wipe.began, self._wiped = now, True
        if self._wipe.ended(now):
            self._wipe = None
        else:
            self._wipe.draw(stage, now)


class _Coming(threading.Thread):
    """Prepares a moment: decodes the game's pictures and plays the round."""

    def __init__(self, theme: Theme, highlight: Highlight, coin_value_cents: int, worlds: Sequence[World]) -> None:
        super().__init__(name=f"moment of {theme.game.name}", daemon=True)
        self._theme = theme
        self._highlight = highlight
        self._coin_value_cents = coin_value_cents
        self._worlds = worlds
        self._played: Played | None = None
        self._demonstration: Demonstration | None = None
        self.start()

    def run(self) -> None:
        """Decode and play; report an error, after which only the game's card is shown."""
        try:
            for world in self._worlds:
                world.preload()
            self._highlight = entered(self._theme, self._highlight, self._coin_value_cents)
            self._played = replay(self._theme.game, self._highlight)
        except Exception as error:  # noqa: BLE001 - a game's own code and pictures
            sys.stderr.write(
                f"display: no moment of {self._theme.game.name}: {type(error).__name__}: {error_words(error)}\n"
            )

    def demonstration(self, context: DrawContext, view: View) -> Demonstration | None:
        """Return the moment once the thread has ended; None if it could not be prepared."""
        if self._demonstration is None and self._played is not None:
            played = Playback(
                self._theme, self._highlight, self._played, coin_value_cents=self._coin_value_cents, view=view
            )
            self._demonstration = Demonstration(context, self._theme, played)
        return self._demonstration


def choose(
    game: Game, found: Sequence[Highlight], lobby: LobbyGames, order: RunningOrder
) -> tuple[Highlight, int] | None:
    """Return the next of a game's highlights `found` and its coin value in cents; None if there is none."""
    if not found:
        return None
    highlight = found[order.highlight(game.name, len(found))]
    coins = coin_values(game, highlight, lobby)
    return (highlight, order.coin(coins)) if coins else None


def coin_values(game: Game, highlight: Highlight, lobby: LobbyGames) -> list[int]:
    """Return the coin values at which the bet of a highlight can be made here.

    In a game with a jackpot it is the one whose pool is shown; if bets are chosen as a whole, those of the lowest and
    of the highest bet.
    """
    lowest, highest = lobby.bet_ranges.get(game.name, (0, 0))
    coins = highlight.stake.coins
    values: Sequence[int] = lobby.coin_values_cents
    if game.name in lobby.jackpots:
        values = (lobby.jackpots[game.name].coin_value_cents,)
    elif game.total_bets is not None:
        values = tuple(dict.fromkeys((lowest // coins, highest // coins)))
    return [value for value in values if value and lowest <= value * coins <= highest]
