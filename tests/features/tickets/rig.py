"""The ticket desk and the clerk of slips, on a machine's rig."""

from controller.configuration.tickets import tickets_of
from controller.features.tickets.attendant_slips import SlipClerk
from controller.features.tickets.fitting import fit_desk
from tests.rigs.machine import Fitted, Rig


def fit(rig: Rig) -> Fitted:
    """Fit the desk, and with a printer the clerk."""
    fit_desk(rig.machine)
    if rig.printer is None:
        return Fitted()
    parts = rig.machine.parts
    clerk = SlipClerk(parts.journal, parts.settings, rig.printer, rig.machine.clock)
    rig.service.machine.fit(clerk)
    return Fitted(tasks=(clerk.run,) if tickets_of(rig.config).slips else ())


def clerk_of(rig: Rig) -> SlipClerk:
    """Return the clerk of a machine with a printer."""
    return rig.service.machine.of(SlipClerk)
