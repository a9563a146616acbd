"""The state of the game on the screen: the bet, reels, wins and payout that the player sees."""

from dataclasses import dataclass, field

import msgspec

from controller.journal.pools import PoolKey
from controller.machine.ports import Replaying, SessionPages
from controller.machine.settings_store import SettingsStore
from controller.session.autospin import Autospin
from controller.session.autospin_panel import SettingsPanel
from controller.session.betting import fits, gamble_cap
from controller.session.player_session import PlayerSession
from controller.session.session import Session
from controller.session.volume_panel import VolumePanel
from gamekit.catalogue import load
from gamekit.play import Game, Offer, Scene
from ui.protocol.values import Bet, Paid, PastRound, Payout, SessionFigures


@dataclass
class GameState:
    """The game as `controller.play` controls it; the machine only shows it. All amounts are in cents."""

    settings: SettingsStore
    session: Session = field(default_factory=Session)
    """The player's choices as stored in the journal."""
    message: str = ""
    focus: str = ""
    offer: Offer | None = None
    scene: Scene | None = None
    played_bet: Bet | None = None
    """The bet that `scene` was played with, or None."""
    stake_cents: int = 0
    """The stake of the round that `scene` belongs to."""
    win_cents: int = 0
    at_risk_cents: int = 0
    unshown_win_cents: int = 0
    unshown_credit_cents: int = 0
    jackpot_won: bool = False
    """Whether the last round won a jackpot, which the tower light shows until the next round."""
    resumed: bool = False
    payout: Payout | None = None
    payout_waits: bool = False
    """Whether the hopper does not answer during its payout, which the attendant's key may end."""
    paid: Paid = field(default_factory=Paid)
    ticket_refused: str = ""
    refusal: str = ""
    """Why the newest ticket was returned, as a code and in words; shown for a short while."""
    autospin: Autospin | None = None
    autospin_panel: SettingsPanel | None = None
    volume_panel: VolumePanel | None = None
    history: tuple[PastRound, ...] = ()
    replaying: Replaying | None = None
    last_round: PastRound | None = None
    bet_ranges: dict[str, tuple[int, int]] = field(default_factory=dict)
    care: PlayerSession = field(default_factory=PlayerSession)
    """The player's session as last read from the journal."""
    session_began_s: float | None = None
    """When the player's session began, in monotonic seconds, or None if none is running."""
    session_pages: SessionPages | None = None
    """The pages of the player's session, None if no feature has any."""
    clock: str = ""
    """The time of day, empty if it is not shown."""
    pools_cents: dict[PoolKey, int] = field(default_factory=dict)
    pools_closed: dict[PoolKey, str] = field(default_factory=dict)
    """The message code that says why no round may be played for a pool; open pools are not included."""

    @property
    def unseen(self) -> bool:
        """Whether the display cannot show the game that is being played, so that nobody sees what is on offer."""
        return self.session.game in self.settings.unfit

    @property
    def game(self) -> Game:
        """The game on the screen."""
        return load(self.session.game)

    @property
    def bet(self) -> Bet:
        """The bet that SPIN stakes."""
        return self.session.bet

    @property
    def buy_cents(self) -> int:
        """The price of the feature on sale at the chosen bet, 0 if there is none or the house sells none."""
        games, price = self.settings.config.games, self.game.buy_price if self.session.game else 0
        return price * self.bet.cents if price and games.buy and fits(self.game, games, self.bet, price) else 0

    @property
    def session_figures(self) -> SessionFigures:
        """The amounts of the player's session, and when it began."""
        return msgspec.structs.replace(self.care.figures, began_s=self.session_began_s)

    @property
    def turbo(self) -> bool:
        """Whether shows are shortened: the player's choice, if the house allows it."""
        return self.session.turbo and self.settings.config.games.turbo

    @property
    def plain(self) -> bool:
        """Whether the win is not celebrated: it is at or below the stake, and the house has configured this."""
        return self.settings.config.games.is_plain(self.win_cents, self.stake_cents)

    @property
    def gamble_cap_cents(self) -> int:
        """The highest amount that may be gambled in this game, 0 for no gamble."""
        return gamble_cap(self.game, self.settings.config.games) if self.session.game else 0

    @property
    def pool_closed(self) -> str:
        """The reason why no round may be played for the pool of the chosen bet, or an empty string."""
        return self.pools_closed.get(PoolKey(self.session.game, self.session.bet.coin_value_cents), "")

    @property
    def spins_by_itself(self) -> bool:
        """Whether autospin is running and has no reason to stop yet."""
        return self.autospin is not None and self.autospin.stopped is None

    def forget_play(self) -> None:
        """Remove the last play from the screen, because another game is chosen."""
        self.scene, self.played_bet, self.win_cents = None, None, 0
