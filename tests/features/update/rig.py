"""The proof of the program and the trial of an update, on a machine's rig."""

from controller.features.update.software_watch import SoftwareWatch
from controller.features.update.trial_watch import UpdateTrial
from tests.rigs.machine import Fitted, Rig


def fit(rig: Rig) -> Fitted:
    """Let the machine prove its program by the rig's `proof`."""
    software = software_of(rig)
    if rig.proof is None:
        return Fitted(at_start=(software.at_start,))
    software.fit(rig.proof)
    return Fitted(at_start=(software.at_start,), tasks=(software.run,))


def software_of(rig: Rig) -> SoftwareWatch:
    """Return what proves the machine's program."""
    return rig.service.machine.of(SoftwareWatch)


def trial_of(rig: Rig) -> UpdateTrial:
    """Return what watches an update on trial."""
    return rig.service.machine.of(UpdateTrial)
