"""Plays a highlight in attract mode: its own director gets part after part, as the display's does from the supervisor.

Nothing here draws. The round is shown to its end, hurried if it takes too long, and its win is then shown for a while.
Where it is entered is decided elsewhere (`ui.scenes.moments`).
"""

import msgspec

from gamekit.highlights import Highlight, Played
from gamekit.play import Beat, Offer, Step
from ui.acts import Act
from ui.director import Director
from ui.protocol.messages import Hurry, Show, Snapshot, View, raw
from ui.protocol.values import Bet
from ui.protocol.view_parts import Balance, LobbyGames, Locale, ShownRound, Terms
from ui.theme import Theme

LEAST_S = 8.0
"""The least length of a moment in seconds."""
BEGINS_S = 0.7
"""When its round begins, in seconds; the wipe ends by then."""
HURRIED_S = 22.0
"""The time in seconds from which everything is hurried to its end, act by act, including reels."""
REST_S = 1.6
"""Seconds for which the result is shown."""
PICK_S = 1.0
"""Seconds for which the objects of a pick are shown before the pick."""


class Playback:
    """The round `played`, which is `highlight` of the game of `theme`, at `coin_value_cents` a coin.

    `view` is the display's own and provides money format, language and pools. Unless it `hurries`, it takes as long as
    the round needs.
    """

    hurries = True

    def __init__(
        self, theme: Theme, highlight: Highlight, played: Played, *, coin_value_cents: int, view: View
    ) -> None:
        self.director = Director(lambda _name: theme, demonstrates=True)
        self.highlight = highlight
        self.bet = Bet(highlight.lines, highlight.coins_per_line, coin_value_cents)
        self._theme = theme
        self._stake = highlight.stake
        self._segments = list(played.segments)
        self._scene = played.scene
        self._won = played.won
        self._turn = 0
        self._began: float | None = None
        self._rests_since: float | None = None
        self._go_on_at = 0.0
        self._hurried: Act | None = None
        self._pick: Offer | None = None
        self._view = View(
            state="round",
            game=theme.game.name,
            bet=self.bet,
            round=ShownRound(played_bet=self.bet),
            locale=Locale(money=view.locale.money, language=view.locale.language),
            lobby=LobbyGames(jackpots=view.lobby.jackpots, bet_ranges=view.lobby.bet_ranges),
            terms=Terms(
                jackpot_cents=self._pool(view.lobby),
                bets_cents=() if theme.game.total_bets is None else (self.bet.cents,),
            ),
            balance=Balance(credit_cents=view.balance.credit_cents),
        )
        waits = played.offer is not None and played.offer.waits
        self._sees("offer" if waits else "round", 0.0, played.offer)

    def __repr__(self) -> str:
        return f"<Playback of {self.highlight.kind} {self.highlight.seed} of {self._theme.game.name}>"

    def begin(self, now: float) -> None:
        """Begin to be shown at `now`."""
        self._began, self._go_on_at = now, now + BEGINS_S

    @property
    def begun(self) -> bool:
        """Whether it has begun."""
        return self._began is not None

    @property
    def rests(self) -> bool:
        """Whether only the result is shown."""
        return self._rests_since is not None

    @property
    def parts_left(self) -> int:
        """The number of parts of the round that have not begun."""
        return len(self._segments)

    def ended(self, now: float) -> bool:
        """Whether it has ended: its round was shown completely, and its win for a while."""
        if self._began is None:
            return False
        rested = self._rests_since is not None and now >= self._rests_since + REST_S
        return rested and now >= self._began + LEAST_S

    def follow(self, view: View, now: float) -> None:
        """Update the pool from `view`, the display's own."""
        if view.lobby.jackpots != self._view.lobby.jackpots:
            pools = {
                "lobby": msgspec.structs.replace(self._view.lobby, jackpots=view.lobby.jackpots),
                "terms": msgspec.structs.replace(self._view.terms, jackpot_cents=self._pool(view.lobby)),
            }
            self._view = msgspec.structs.replace(self._view, **pools)
            figures = msgspec.structs.replace(self.director.view, **pools)
            self.director.handle(Snapshot(self._turn, figures), now)

    def _pool(self, lobby: LobbyGames) -> int:
        """Return the value of the pool that this bet plays for; 0 if there is none or it is not played for."""
        jackpot = lobby.jackpots.get(self._theme.game.name)
        if jackpot is None or jackpot.closed or jackpot.coin_value_cents != self.bet.coin_value_cents:
            return 0
        return jackpot.cents

    def advance(self, now: float) -> None:
        """Advance the round, one part after another, as the supervisor would."""
        if self._began is None or self._rests_since is not None:
            return
        self.director.advance(now)
        performance = self.director.performance
        if performance is not None and not performance.ended:
            act = performance.act
            if self.hurries and now >= self._began + HURRIED_S and act is not self._hurried:
                self._hurried = act
                self.director.handle(Hurry(performance.number), now)
        elif not self._segments:
            self._rests_since = now
            self._sees("idle", now)
        elif self._pick is not None:
            self._sees("offer", now, self._pick)
            self._pick, self._go_on_at = None, now + PICK_S
        elif now >= self._go_on_at:
            self._show(self._segments.pop(0), now)

    def _show(self, steps: tuple[Step, ...], now: float) -> None:
        """Show a part of the round with its figures at this bet."""
        self._sees("round", now)
        for step in steps:
            self._scene = self._theme.game.advance(self._scene, self._stake, step)
            self._won += step.coins if isinstance(step, Beat) else 0
        last, won, credit = steps[-1], self._cents, self._view.balance.credit_cents
        self._pick = last if isinstance(last, Offer) and last.pick else None
        plain = won <= self.bet.cents
        self.director.handle(Show(self._turn, self._turn, tuple(map(raw, steps)), credit, won, plain=plain), now)

    def _sees(self, state: str, now: float, offer: Offer | None = None) -> None:
        """Set `state` with the round's current scene and win."""
        self._turn += 1
        shown = msgspec.structs.replace(
            self._view.round, scene=raw(self._scene), offer=raw(offer), win_cents=self._cents
        )
        view = msgspec.structs.replace(self._view, state=state, round=shown)
        self.director.handle(Snapshot(self._turn, view), now)

    @property
    def _cents(self) -> int:
        """The round's win so far, in cents."""
        return self._won * self.bet.coin_value_cents
