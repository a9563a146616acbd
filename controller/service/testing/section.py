"""T: every test, in the order of its number."""

from controller.service.leaf import Leaf
from controller.service.testing import coins, hopper, lights, notes, ports, storage, watchdog

LEAVES: tuple[Leaf, ...] = tuple(
    sorted(
        (
            *lights.LEAVES,
            *coins.LEAVES,
            *notes.LEAVES,
            *hopper.LEAVES,
            *ports.LEAVES,
            *storage.LEAVES,
            *watchdog.LEAVES,
        ),
        key=lambda leaf: int(leaf.code.partition(".")[2]),
    )
)
