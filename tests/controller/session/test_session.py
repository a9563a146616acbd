from pathlib import Path

from controller.journal.key_value import SETTINGS
from controller.journal.transaction import Transaction
from controller.session.session import Session, load_session, save_session
from tests.rigs.books import opened
from ui.protocol.values import Bet, Volumes

STORED = (
    '{"place":"idle","game":"neptune","lines":15,"coins_per_line":2,"coin_value_cents":5,"muted":true,"turbo":false,'
    '"volumes":{"wins":100,"game":40,"background":100,"overall":100},"witch":1}'
)
SESSION = Session(place="idle", game="neptune", bet=Bet(15, 2, 5), muted=True, volumes=Volumes(game=40), witch=1)


def test_a_session_is_stored_as_ever(tmp_path: Path) -> None:
    """Programs of before and after read one another's row: the bet's three figures lie beside the other values."""

    def act(tx: Transaction) -> tuple[str | None, Session]:
        save_session(tx, SESSION)
        return SETTINGS.get(tx, "session"), load_session(tx)

    with opened(tmp_path) as store:
        assert store.transact(act) == (STORED, SESSION)


def test_what_an_older_program_did_not_store_is_as_at_first(tmp_path: Path) -> None:
    """A row with its place alone has no bet yet."""

    def act(tx: Transaction) -> Session:
        SETTINGS.store(tx, "session", '{"place":"lobby"}')
        return load_session(tx)

    with opened(tmp_path) as store:
        assert Session(place="lobby") == store.transact(act)
