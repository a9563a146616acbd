"""The cabinet's signing key for the menu pages that sign data."""

from controller.journal.errors import RefusedError
from controller.keys import identity
from controller.keys.identity import Identity
from controller.service.serviced_machine import ServicedMachine

NO_KEY = "This machine has no key: it signs nothing"


def key_of(machine: ServicedMachine) -> Identity:
    """Return the cabinet's key; raise `RefusedError` if it has none."""
    own = identity.read_identity(machine.settings.config.cabinet.key_file)
    if own is None:
        raise RefusedError(NO_KEY)
    return own
