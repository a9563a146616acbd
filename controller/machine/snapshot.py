"""The journal's state that the screen shows, read together after every change."""

from typing import NamedTuple

from controller.journal import demo_mode, faults
from controller.journal.faults import RecordedFault
from controller.journal.held_payouts import held_cents
from controller.journal.open_items import OpenItem, open_items
from controller.journal.payouts import paid_since_play
from controller.journal.service_state import is_out_of_service
from controller.journal.settings import stored_settings
from controller.journal.transaction import Transaction
from controller.machine.touch_calibration import kept_calibration
from controller.session.player_session import PlayerSession, keeper
from controller.session.session import Session, change_session, load_session
from ui.protocol.values import Paid


class Snapshot(NamedTuple):
    """The journal's state that the screen shows, read together after every change."""

    session: Session
    faults: list[RecordedFault]
    open_items: list[OpenItem]
    out_of_service: bool
    paid: Paid
    settings: dict[str, str]
    demo_mode: bool
    calibration: tuple[float, ...]
    held_cents: int
    care: PlayerSession


def read_snapshot(tx: Transaction) -> Snapshot:
    """Return the journal's current state."""
    return Snapshot(
        session=load_session(tx),
        faults=faults.active_faults(tx),
        open_items=open_items(tx),
        out_of_service=is_out_of_service(tx),
        paid=paid_since_play(tx),
        settings=stored_settings(tx),
        demo_mode=demo_mode.is_on(tx),
        calibration=kept_calibration(tx),
        held_cents=held_cents(tx),
        care=keeper().read(tx),
    )


def choose(tx: Transaction, **changes: object) -> tuple[Session, PlayerSession]:
    """Change the session's choices; return it with the player's session, which the change may begin."""
    return change_session(tx, **changes), keeper().read(tx)
