"""A highlight being played to nobody: a director of its own, fed part by part as the supervisor feeds the display's.

Nothing here draws. The round is shown to its end, hurried if it goes on too long, and what it has won is then seen for
a while; where it is entered is not decided here (`ui.scenes.moments`).
"""

import msgspec

from gamekit.highlights import Highlight, Played
from gamekit.play import Beat, Offer, Step
from ui.acts import Act
from ui.director import Director
from ui.protocol.messages import Hurry, Show, Snapshot, View, raw
from ui.protocol.values import Bet
from ui.theme import Theme

LEAST_S = 8.0
"""How long a moment lasts at least."""
BEGINS_S = 0.7
"""When its round begins: it is wiped in until then."""
HURRIED_S = 22.0
"""From then on what goes on is brought to its end, act by act, reels included."""
REST_S = 1.6
"""How long what has come of it is seen."""
PICK_S = 1.0
"""How long what may be picked is seen before the pick."""


class Playback:
    """The round `played`, which is `highlight` of the game of `theme`, at `coin_value_cents` a coin.

    `view` is the display's own: money, language and pools are as there. Where it never `hurries` it takes as long as it
    takes.
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
            played_bet=self.bet,
            money=view.money,
            language=view.language,
            jackpots=view.jackpots,
            jackpot_cents=self._pool(view),
            bet_ranges=view.bet_ranges,
            credit_cents=view.credit_cents,
            bets_cents=() if theme.game.total_bets is None else (self.bet.cents,),
        )
        waits = played.offer is not None and played.offer.waits
        self._sees("offer" if waits else "round", 0.0, played.offer)

    def __repr__(self) -> str:
        return f"<Playback of {self.highlight.kind} {self.highlight.seed} of {self._theme.game.name}>"

    def begin(self, now: float) -> None:
        """It is seen from `now` on."""
        self._began, self._go_on_at = now, now + BEGINS_S

    @property
    def begun(self) -> bool:
        """Whether it has been seen."""
        return self._began is not None

    @property
    def rests(self) -> bool:
        """Whether only what has come of it is seen."""
        return self._rests_since is not None

    @property
    def parts_left(self) -> int:
        """How many parts of the round have not begun."""
        return len(self._segments)

    def ended(self, now: float) -> bool:
        """Whether it is over: its round has been shown whole, and what it has won been seen for a while."""
        if self._began is None:
            return False
        rested = self._rests_since is not None and now >= self._rests_since + REST_S
        return rested and now >= self._began + LEAST_S

    def follow(self, view: View, now: float) -> None:
        """Show the pool as it is in `view`, the display's own."""
        if view.jackpots != self._view.jackpots:
            self._view = msgspec.structs.replace(self._view, jackpots=view.jackpots, jackpot_cents=self._pool(view))
            figures = msgspec.structs.replace(
                self.director.view, jackpots=view.jackpots, jackpot_cents=self._view.jackpot_cents
            )
            self.director.obey(Snapshot(self._turn, figures), now)

    def _pool(self, view: View) -> int:
        """Return what the pool that this bet plays for is worth; 0 where there is none, or it is not played for."""
        jackpot = view.jackpots.get(self._theme.game.name)
        if jackpot is None or jackpot.closed or jackpot.coin_value_cents != self.bet.coin_value_cents:
            return 0
        return jackpot.cents

    def advance(self, now: float) -> None:
        """Let the round go on: one part after another, as the supervisor has them shown."""
        if self._began is None or self._rests_since is not None:
            return
        self.director.advance(now)
        performance = self.director.performance
        if performance is not None and not performance.ended:
            act = performance.act
            if self.hurries and now >= self._began + HURRIED_S and act is not self._hurried:
                self._hurried = act
                self.director.obey(Hurry(performance.number), now)
        elif not self._segments:
            self._rests_since = now
            self._sees("idle", now)
        elif self._pick is not None:
            self._sees("offer", now, self._pick)
            self._pick, self._go_on_at = None, now + PICK_S
        elif now >= self._go_on_at:
            self._show(self._segments.pop(0), now)

    def _show(self, steps: tuple[Step, ...], now: float) -> None:
        """Show a part of the round; the figures are those of the round at this bet."""
        self._sees("round", now)
        for step in steps:
            self._scene = self._theme.game.advance(self._scene, self._stake, step)
            self._won += step.coins if isinstance(step, Beat) else 0
        last, won, credit = steps[-1], self._cents, self._view.credit_cents
        self._pick = last if isinstance(last, Offer) and last.pick else None
        plain = won <= self.bet.cents
        self.director.obey(Show(self._turn, self._turn, tuple(map(raw, steps)), credit, won, plain=plain), now)

    def _sees(self, state: str, now: float, offer: Offer | None = None) -> None:
        """Stand in `state` with the scene and the win that the round has come to."""
        self._turn += 1
        view = msgspec.structs.replace(
            self._view, state=state, scene=raw(self._scene), offer=raw(offer), win_cents=self._cents
        )
        self.director.obey(Snapshot(self._turn, view), now)

    @property
    def _cents(self) -> int:
        """What the round has won so far, in cents."""
        return self._won * self.bet.coin_value_cents
