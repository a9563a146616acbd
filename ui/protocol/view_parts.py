"""The parts of a `View` (`ui.protocol.messages`), cut by which screens read them together; amounts are in cents.

A field that has its default is not sent.
"""

import msgspec

from ui.protocol.values import USUAL_DATES, Bet, Money, Paid, PastRound, Payout, SessionFigures, Volumes

_NOTHING = msgspec.Raw(b"null")


class ShownRound(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The round on the reels."""

    scene: msgspec.Raw = _NOTHING
    """The game's picture before the beats of the newest `Show`."""
    offer: msgspec.Raw = _NOTHING
    """The step that the play waits on, if it does."""
    played_bet: Bet | None = None
    """The bet that `scene` was played with, None where nothing has been played."""
    win_cents: int = 0
    """The newest round's win, including the part at risk."""
    at_risk_cents: int = 0
    """The part of the win that may still be gambled; it is not in the credit."""
    plain: bool = False
    """Whether the win is not celebrated."""
    resumed: bool = False
    """Whether the round was interrupted by a restart and continues."""
    autospin_of: int = 0
    """While autospin runs, the number of spins that the player chose, else 0."""
    autospin_left: int = 0
    """How many of these are still to come."""


class Terms(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the open game sells, pays and lets the player choose at the present bet."""

    bets_cents: tuple[int, ...] = ()
    """The bets of a game that is bet by its total; empty if lines, coins and coin value are chosen."""
    lowest_bet_cents: int = 0
    """In the state `lowest_bet`, the bet on offer."""
    buy_cents: int = 0
    """The price of the feature on sale, 0 if there is none."""
    gamble_cap_cents: int = 0
    """The highest amount that may be gambled, 0 for no gamble."""
    jackpot_cents: int = 0
    """The pool at the chosen coin value, 0 in a game without one."""
    witch: int = 0
    """The chosen companion, in Bewitched its witch (0 or 1)."""


class Balance(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The player's money in the cabinet and on its way out, and what the cabinet takes."""

    credit_cents: int = 0
    """The credit meter."""
    residue_cents: int = 0
    """Credit below one coin of the hopper that can be played and stays on the meter."""
    held_cents: int = 0
    """Money of a payout that is neither credit nor paid until it is known where it is."""
    payout: Payout | None = None
    """A cash-out in progress or just ended."""
    paid: Paid = Paid()
    """What has been paid out since the last play."""
    accepts_coins: bool = False
    """Whether the coin acceptor is enabled."""
    accepts_notes: bool = False
    """Whether the bill validator is enabled."""


class Jackpot(msgspec.Struct, frozen=True, kw_only=True):
    """A game's pool at the coin value that opening the game would choose, and the bet that wins it."""

    cents: int
    coin_value_cents: int
    lines: int = 0
    """The lines of the bet that may win it, 0 if every bet of that coin value may."""
    coins_per_line: int = 0
    """The coins per line of that bet, 0 likewise."""
    closed: str = ""
    """The message code of why it is currently not played for."""


class LobbyGames(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The games to choose from, and what each costs and promises."""

    games: tuple[str, ...] = ()
    """Their names, in the lobby's order."""
    coin_values_cents: tuple[int, ...] = ()
    """The cabinet's coin values."""
    bet_ranges: dict[str, tuple[int, int]] = {}
    """The lowest and the highest bet of each game."""
    jackpots: dict[str, Jackpot] = {}
    """The pool of each game that has one."""


class PastRounds(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Rounds that are over."""

    last_round: PastRound | None = None
    """The round that ended last, of any game."""
    large_win_cents: int = 0
    """Its win in the state `large_win`, in which the attendant has to see it, else 0."""
    history: tuple[PastRound, ...] = ()
    """In the state `history`, the past rounds, newest first."""
    replay: PastRound | None = None
    """The round shown again in the state `replay` or by the service menu; game, bet, scene and win are then its."""


class Status(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What every screen shows beside its own content."""

    demo_mode: bool = False
    """Whether the credit is free and no money counts."""
    clock: str = ""
    """The time of day, empty where it is not shown."""
    session: SessionFigures | None = None
    """The session's figures, where its time and net are shown."""


class Locale(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How words, amounts and days are written."""

    language: str = "en"
    """The player's language, by its code."""
    money: Money = Money()
    """The format of amounts."""
    dates: str = USUAL_DATES
    """The format of days: `dd/mm/yy`."""


class OutputSettings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How the display sounds, moves and is touched."""

    muted: bool = False
    """Whether only calls for help are heard."""
    volumes: Volumes = Volumes()
    """The volumes to be heard now: in the state `settings` those being chosen."""
    loudest_percent: int = 100
    """The house's own volume, which scales the player's."""
    turbo: bool = False
    """Whether rounds are shown fast."""
    brightness_percent: int = 100
    """The picture's brightness; less than 100 dims it."""
    touch: tuple[float, ...] = ()
    """The touch screen's calibration: a to f of x' = ax + by + c, y' = dx + ey + f in units of 1280x720, or empty."""
