"""What the player chose and where the player is: kept in the journal, so that a power cut changes nothing."""

import msgspec

from controller.configuration import Games
from controller.journal.transaction import Transaction
from games.catalogue import load

_NAME = "session"


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """The player's place (`attract`, `lobby` or `idle`, a game on the screen), game and bet, and the sound."""

    place: str = "attract"
    game: str = ""
    lines: int = 0
    coins_per_line: int = 0
    coin_value_cents: int = 0
    muted: bool = False


def load_session(tx: Transaction) -> Session:
    """Return the session as it was last saved."""
    row = tx.execute("SELECT value FROM settings WHERE name = ?", (_NAME,)).fetchone()
    return Session() if row is None else msgspec.json.decode(row[0], type=Session)


def save_session(tx: Transaction, session: Session) -> None:
    """Save the session."""
    tx.execute(
        "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (_NAME, msgspec.json.encode(session).decode()),
    )


def change_session(tx: Transaction, **changes: object) -> Session:
    """Change the session as it was last saved, so that no two changes undo each other; return and save it."""
    session = msgspec.structs.replace(load_session(tx), **changes)
    save_session(tx, session)
    return session


def keep_offered(tx: Transaction, games: Games) -> None:
    """Forget a saved game or bet that this cabinet does not offer (any more): the player chooses again."""
    session = load_session(tx)
    game = load(session.game) if session.game in games.enabled else None
    if session.game and (
        game is None
        or session.lines not in game.line_counts
        or session.coins_per_line not in game.coins_per_line
        or session.coin_value_cents not in games.coin_values_cents
    ):
        save_session(tx, Session(muted=session.muted))
