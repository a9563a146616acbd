"""The state of the screen: the newest snapshot, the show in progress, and the answers that are due.

The director draws nothing and owns no socket: it receives messages and returns answers, and time is an argument.
"""

from collections.abc import Callable

from msgspec import structs

from common.decoding import decoder
from gamekit.play import Scene, Stake, Step
from ui.acts import Act, SpinAct
from ui.performance import Performance, acts_of
from ui.picture import Picture
from ui.protocol.messages import Ack, Hurry, Show, Snapshot, ToDisplay, ToSupervisor, View
from ui.protocol.values import Bet
from ui.protocol.view_parts import Locale
from ui.theme import Theme

STARTING = View(state="booting")
"""The view before the first snapshot."""

HALTING = frozenset({"tilted", "locked"})
"""States that stop a show: its reels come to rest, and the rest of it is not shown (D2)."""


def _played_with(view: View, bet: Bet | None) -> View:
    """Return `view` with reels that were played with `bet`."""
    return structs.replace(view, round=structs.replace(view.round, played_bet=bet))


class Director:
    """Handles the supervisor's messages; `load` returns a game's theme, `language` is that of the first picture.

    If it `demonstrates`, it shows a round that nobody plays, without a HUD with its own credit and keys.
    """

    def __init__(
        self, load: Callable[[str], Theme], *, demonstrates: bool = False, language: str = STARTING.locale.language
    ) -> None:
        self._load = load
        self.demonstrates = demonstrates
        self.view = structs.replace(STARTING, locale=Locale(language=language))
        self.turn = 0
        self.theme: Theme | None = None
        self.performance: Performance | None = None
        self.linked = False
        self.lost_at: float | None = None
        self.picture_since = 0.0
        self.hurried_at = -1.0
        """When the player last hurried a show."""
        self._scene: Scene | None = None
        self._view_fresh = False
        self._offer: Step | None = None
        self._fresh_link = True

    def handle(self, message: ToDisplay, now: float) -> list[ToSupervisor]:
        """Handle one message; return the answers to send at once.

        Raises `UnreadableError` if a scene or step does not belong to the named game.
        """
        match message:
            case Snapshot():
                return self._snapshot(message, now)
            case Show():
                return self._show(message, now)
            case Hurry(number=number):
                if self.performance is not None and self.performance.number == number:
                    self.performance.hurry(now)
                    self.hurried_at = now
                return []
            case _:
                return []

    def advance(self, now: float) -> list[ToSupervisor]:
        """Advance to `now`; return the `Ack` of a show that has just ended."""
        performance = self.performance
        if performance is None or self.halted:
            return []
        was_over = performance.ended
        performance.advance(now)
        if performance.ended and not was_over:
            self._set_scene(performance.final, now)
            # The show's figures are valid at its end; a snapshot from before it is outdated.
            self._view_fresh = False
        return self._acknowledge() if performance.ended else []

    def connection_lost(self, now: float) -> None:
        """Handle a lost connection: the picture stays, and pending answers are dropped."""
        self.linked = False
        self.lost_at = now if self.lost_at is None else self.lost_at
        self._fresh_link = True
        if self.performance is not None:
            self.performance.acked = True

    @property
    def halted(self) -> bool:
        """Whether something stops the machine and any spinning reels have come to rest (D2)."""
        performance = self.performance
        spinning = performance is not None and isinstance(performance.act, SpinAct)
        return self.view.state in HALTING and not spinning

    @property
    def act(self) -> Act | None:
        """The act in progress, or None."""
        return None if self.performance is None else self.performance.act

    @property
    def scene_name(self) -> str:
        """The full-screen scene of the game that is shown; empty for its reels, or without a game."""
        if self.theme is None:
            return ""
        name, picture = self.theme.scene_in(self.view.state), self.picture
        return name or ("" if picture is None else self.theme.scene_of(picture, self.act, self._offer))

    @property
    def scene_key(self) -> tuple[str, str, str] | None:
        """The world, scene and background on the screen, which a wipe compares; None without a game."""
        if self.theme is None or self.picture is None:
            return None
        return self.theme.world, self.scene_name, self.theme.scenery(self.picture)

    @property
    def picture(self) -> Picture | None:
        """What the game's screen shows."""
        if self.theme is None or self._scene is None:
            return None
        act = None if self.performance is None else self.performance.act
        return act.picture if act is not None else self.theme.picture(self._scene)

    @property
    def offer(self) -> Step | None:
        """The step that the play waits for, if nothing is being performed."""
        return self._offer if self.performance is None or self.performance.ended else None

    def win(self, now: float) -> int:
        """Return the WIN figure in cents."""
        return self.view.round.win_cents if self.performance is None else self.performance.win(now)

    def credit(self, now: float) -> int:
        """Return the CREDIT figure in cents: that of the newest message, or the value of the roll-up."""
        if self.performance is None or self._view_fresh:
            return self.view.balance.credit_cents
        return self.performance.credit(now)

    def _snapshot(self, message: Snapshot, now: float) -> list[ToSupervisor]:
        view = message.view
        theme = self._load(view.game) if view.game else None
        scene = None
        if theme is not None:
            scene = decoder(theme.game.scene_type | None)(view.round.scene) or theme.game.idle
        self.linked, self.lost_at = True, None
        answers: list[ToSupervisor] = []
        if not self._keeps_performance(message, theme, scene):
            answers = self._acknowledge()
            self.performance = None
            if scene != self._scene or theme is not self.theme:
                self._set_scene(scene, now)
            self.theme = theme
        if self.performance is not None:
            view = _played_with(view, self.view.round.played_bet)
        self.view, self.turn = view, message.turn
        if view.state in HALTING and not self.halted and self.performance is not None:
            self.performance.hurry(now)
        self._view_fresh = True
        self._fresh_link = False
        self._offer = None
        if theme is not None:
            self._offer = decoder(theme.game.step_type | None)(view.round.offer)
        return answers

    def _keeps_performance(self, message: Snapshot, theme: Theme | None, scene: Scene | None) -> bool:
        """Whether a snapshot only changes figures and lamps, because its state is from before the show's beats."""
        performance = self.performance
        if performance is None or self._fresh_link or theme is not self.theme or scene != performance.base:
            return False
        if self.view.state in HALTING and message.view.state not in HALTING:
            return False  # what was interrupted is shown again from the start
        return not performance.ended or message.turn == performance.turn

    def _show(self, message: Show, now: float) -> list[ToSupervisor]:
        answers = self._acknowledge()
        theme, base, bet = self.theme, self._scene, self.view.bet
        if theme is None or base is None or bet is None:
            # It cannot be shown: it counts as shown, so that the supervisor does not wait.
            return [*answers, Ack(message.number)]
        if self.performance is not None:
            base = self.performance.final
        steps = [decoder(theme.game.step_type)(step) for step in message.steps]
        self.view = _played_with(self.view, bet)  # the previous scene was played with another bet
        stake = Stake(lines=bet.lines, coins_per_line=bet.coins_per_line)
        acts, final = acts_of(theme, base, stake, steps)
        self.performance = Performance(
            message.number,
            message.turn,
            base,
            acts,
            final,
            coin_value_cents=bet.coin_value_cents,
            from_cents=(self.view.round.win_cents, self.view.balance.credit_cents),
            to_cents=(message.win_cents, message.credit_cents),
            turbo=message.turbo,
            now=now,
            plain=message.plain,
        )
        self._view_fresh = False
        self._offer = None  # It has been answered; a snapshot states what the play waits for after this show.
        return [*answers, *self.advance(now)]

    def _acknowledge(self) -> list[ToSupervisor]:
        performance = self.performance
        if performance is None or performance.acked:
            return []
        performance.acked = True
        return [Ack(performance.number)]

    def _set_scene(self, scene: Scene | None, now: float) -> None:
        self._scene = scene
        self.picture_since = now
