"""The set-up that a cabinet needs before play: the technician's PIN, settings that fit `cabinet.toml`, one currency.

Each missing part is a fault, checked at every start and after every change.
"""

from controller.configuration.cabinet_toml import Config
from controller.faults import CURRENCY_CHANGED, NO_BET, NO_PIN, SETTING_UNFIT
from controller.journal import faults, money
from controller.journal.actor import Role
from controller.journal.event_catalogue import Event
from controller.journal.faults import raise_fault
from controller.journal.key_value import SETTINGS
from controller.journal.open_items import open_items
from controller.journal.people import may_turn
from controller.journal.settings import stored_settings
from controller.journal.tickets import CURRENCY, currency_ends
from controller.journal.transaction import Transaction
from controller.session.betting import playable
from controller.settings.settings import fitted, locked_by

TECHNICIAN = "technician"
PRIZE, STAKE = "games.largest_prize_cents", "games.largest_stake_cents"


def look_at_set_up(tx: Transaction, file_config: Config) -> None:
    """Raise a fault for each missing part, and clear the faults that are remedied; `file_config` is `cabinet.toml`."""
    missing = set()
    if _needs_pin(tx, file_config):
        missing.add((NO_PIN, TECHNICIAN))
        raise_fault(tx, NO_PIN, TECHNICIAN)
    for problem in fitted(file_config, stored_settings(tx)).unfit:
        missing.add((SETTING_UNFIT, problem.key))
        raise_fault(tx, SETTING_UNFIT, problem.key, f"{problem.key}: {problem.text}")
    games = fitted(file_config, stored_settings(tx)).config.games
    if games.enabled and not playable(games):
        place = PRIZE if games.largest_prize_cents else STAKE
        missing.add((NO_BET, place))
        raise_fault(tx, NO_BET, place, f"no game in games.enabled has a bet within {PRIZE} and {STAKE}: raise them")
    if words := _other_currency(tx, file_config):
        missing.add((CURRENCY_CHANGED, ""))
        raise_fault(tx, CURRENCY_CHANGED, "", words)
    for fault in faults.active_faults(tx):
        if fault.code in (NO_PIN, SETTING_UNFIT, NO_BET, CURRENCY_CHANGED) and (fault.code, fault.place) not in missing:
            faults.clear_fault(tx, fault.code, fault.place, TECHNICIAN)


def _other_currency(tx: Transaction, file_config: Config) -> str:
    """Return the problem if the journal holds money of another currency than the configured one, else "".

    A journal without credit, round, payout, note on its way and open items continues in the new currency.
    """
    code = fitted(file_config, stored_settings(tx)).config.cabinet.money.tender.code
    before = SETTINGS.get(tx, CURRENCY)
    if before == code:
        return ""
    if before is not None:
        if locked_by(tx) or money.note_in_hand(tx) is not None or open_items(tx):
            return f"the books are in {before}, cabinet.money says {code}"
        tx.event(Event.CURRENCY, before=before, now=code)
        currency_ends(tx, before)
    SETTINGS.store(tx, CURRENCY, code)
    return ""


def _needs_pin(tx: Transaction, file_config: Config) -> bool:
    """Whether a PIN must still be chosen: not in a demo, nor if no key needs one."""
    if tx.is_simulated or TECHNICIAN not in file_config.pins.keys:
        return False
    settings = fitted(file_config, stored_settings(tx)).config.service
    return not settings.key_alone(Role.TECHNICIAN) and not may_turn(tx, Role.TECHNICIAN)
