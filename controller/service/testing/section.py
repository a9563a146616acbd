"""T: every test, in the order of its number."""

from controller.service.page import Leaf
from controller.service.testing import (
    burn_in,
    checkout,
    coins,
    combination,
    gates,
    hopper,
    inputs,
    lights,
    meter_pulse,
    notes,
    ports,
    screen,
    sound,
    storage,
    watchdog,
)

LEAVES: tuple[Leaf, ...] = tuple(
    sorted(
        (
            *inputs.LEAVES,
            *lights.LEAVES,
            *meter_pulse.LEAVES,
            *coins.LEAVES,
            *notes.LEAVES,
            *hopper.LEAVES,
            *gates.LEAVES,
            *sound.LEAVES,
            *screen.LEAVES,
            *ports.LEAVES,
            *storage.LEAVES,
            *watchdog.LEAVES,
            *combination.LEAVES,
            *checkout.LEAVES,
            *burn_in.LEAVES,
        ),
        key=lambda leaf: int(leaf.code.partition(".")[2]),
    )
)
