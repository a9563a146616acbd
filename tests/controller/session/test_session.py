from pathlib import Path

from controller.session.session import Session, load_session, save_session
from tests.rigs.books import opened
from ui.protocol.values import Bet, Volumes

SESSION = Session(place="idle", game="neptune", bet=Bet(15, 2, 5), muted=True, volumes=Volumes(game=40), witch=1)


def test_a_session_is_read_as_it_was_saved(tmp_path: Path) -> None:
    """A new journal has the one of a cabinet that nobody has played on."""
    with opened(tmp_path) as store:
        assert store.transact(load_session) == Session()
        store.transact(lambda tx: save_session(tx, SESSION))
        assert store.transact(load_session) == SESSION
