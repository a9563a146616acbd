"""The keeper of linked jackpots, on a machine's rig."""

from tests.rigs.machine import Fitted, Rig


def fit(rig: Rig) -> Fitted:
    """Fit the keeper that the rig's `keeper_of` makes, if any."""
    if rig.keeper_of is None:
        return Fitted()
    keeper = rig.keeper_of(rig.machine.parts)
    rig.machine.jackpots.fit(keeper)
    return Fitted(tasks=(keeper.run, keeper.read_meters))
