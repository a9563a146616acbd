"""What must be set up before a cabinet may play: the technician's PIN, and settings that fit `cabinet.toml`.

Both are faults that stand until they are mended, found anew at every start and after every change.
"""

from controller.configuration.cabinet_toml import Cabinet
from controller.configuration.settings import fitted
from controller.faults import NO_PIN, SETTING_UNFIT
from controller.journal import faults
from controller.journal.actor import Role
from controller.journal.people import may_turn
from controller.journal.settings import kept_settings
from controller.journal.transaction import Transaction
from controller.machine.standing import raise_fault

TECHNICIAN = "technician"


def look_at_set_up(tx: Transaction, given: Cabinet) -> None:
    """Raise what is missing, and clear what has been mended; `given` is what `cabinet.toml` says."""
    missing = set()
    if _needs_pin(tx, given):
        missing.add((NO_PIN, TECHNICIAN))
        raise_fault(tx, NO_PIN, TECHNICIAN)
    for problem in fitted(given, kept_settings(tx)).unfit:
        missing.add((SETTING_UNFIT, problem.key))
        raise_fault(tx, SETTING_UNFIT, problem.key, f"{problem.key}: {problem.text}")
    for fault in faults.standing_faults(tx):
        if fault.code in (NO_PIN, SETTING_UNFIT) and (fault.code, fault.place) not in missing:
            faults.clear_fault(tx, fault.code, fault.place, TECHNICIAN)


def _needs_pin(tx: Transaction, given: Cabinet) -> bool:
    """Whether a PIN is still to be chosen: not in a demo, nor where none is asked, or no key could ask for one."""
    (simulated,) = tx.execute("SELECT simulated FROM cabinet").fetchone()
    if simulated or TECHNICIAN not in given.pins.keys:
        return False
    settings = fitted(given, kept_settings(tx)).cabinet.service
    return not settings.key_alone(Role.TECHNICIAN) and not may_turn(tx, Role.TECHNICIAN)
