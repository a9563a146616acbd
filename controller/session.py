"""What the player chose and where the player is: kept in the journal, so that a power cut changes nothing."""

import msgspec

from controller.journal.transaction import Transaction

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
