"""T: every test, in the order of its number."""

from controller.service.leaf import Leaf
from controller.service.testing import lights

LEAVES: tuple[Leaf, ...] = tuple(
    sorted(
        (*lights.LEAVES,),
        key=lambda leaf: int(leaf.code.partition(".")[2]),
    )
)
