"""The player's choices and place, stored in the journal, so that a power cut changes nothing."""

import msgspec

from controller.configuration.cabinet_toml import Games
from controller.journal.key_value import SETTINGS, Stored
from controller.journal.transaction import Transaction
from controller.session import betting
from controller.session.player_session import keeper
from gamekit.catalogue import load
from gamekit.play import Game
from ui.protocol.values import Bet, Volumes

_ATTRACT = "attract"
NO_BET = Bet(lines=0, coins_per_line=0, coin_value_cents=0)


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """The player's place (`attract`, `lobby`, `witch`, or `idle` in a game), game and bet, and display choices.

    `witch` is the player's companion in a game that has companions; `turbo`, `muted` and `volumes` are as last chosen.
    """

    place: str = "attract"
    game: str = ""
    bet: Bet = NO_BET
    muted: bool = False
    turbo: bool = False
    volumes: Volumes = Volumes()
    witch: int = 0


_STORED = Stored(SETTINGS, "session", Session)


def load_session(tx: Transaction) -> Session:
    """Return the session as last saved."""
    return _STORED.read(tx) or Session()


def save_session(tx: Transaction, session: Session) -> None:
    """Save the session."""
    _STORED.write(tx, session)


def change_session(tx: Transaction, **changes: object) -> Session:
    """Change and save the session as last saved, so that no two changes undo each other; return it.

    Leaving the attract show begins a player's session (`controller.session.player_session`); returning to it ends the
    session.
    """
    before = load_session(tx)
    session = msgspec.structs.replace(before, **changes)
    save_session(tx, session)
    if before.place == _ATTRACT != session.place:
        keeper().begin(tx)
    elif session.place == _ATTRACT != before.place:
        keeper().end(tx)
    return session


def leave_game(tx: Transaction) -> None:
    """Clear the chosen game and bet, so that the player chooses again."""
    change_session(tx, place="attract", game="", bet=NO_BET)


def bet_on_opening(session: Session, game: Game, games: Games) -> Bet:
    """Return the bet that opening this game chooses: the previous one if it was played last, otherwise its first."""
    known = session.game == game.name and session.bet != NO_BET
    return session.bet if known else betting.first_bet(game, games)


def is_offered(session: Session, games: Games) -> bool:
    """Whether this cabinet offers the chosen game and bet, if any."""
    return not session.game or (
        session.game in games.enabled and betting.is_offered(load(session.game), games, session.bet)
    )


def keep_offered(tx: Transaction, games: Games) -> None:
    """Clear a saved game or bet that this cabinet does not offer, so that the player chooses again."""
    if not is_offered(load_session(tx), games):
        leave_game(tx)


def toggle_muted(tx: Transaction, times: int) -> None:
    """Toggle the sound `times` times, durably."""
    change_session(tx, muted=load_session(tx).muted is not bool(times % 2))
