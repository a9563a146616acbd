"""The cabinet's signing key for pages that sign something."""

from typing import TYPE_CHECKING

from controller.journal.errors import RefusedError
from controller.keys import identity
from controller.keys.identity import Identity

if TYPE_CHECKING:
    from controller.machine.machine import Machine

NO_KEY = "This machine has no key: it signs nothing"


def key_of(machine: "Machine") -> Identity:
    """Return the cabinet's key; raise `RefusedError` if it has none."""
    own = identity.read_identity(machine.settings.config.cabinet.key_file)
    if own is None:
        raise RefusedError(NO_KEY)
    return own
