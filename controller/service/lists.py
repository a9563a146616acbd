"""Long lists, newest first, on pages that take each other's place: all of the journal can be reached."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from controller.journal.transaction import Transaction
from controller.service.leaf import Leaf, Line

if TYPE_CHECKING:
    from controller.machine.machine import Machine

MOST = 200
"""How many entries a page holds."""
NEWEST = 2**62
"""Above every number in the books."""
Entries = Sequence[tuple[int, Line]]


def listed(
    code: str,
    title: str,
    read: Callable[[Transaction, int], Entries],
    *,
    empty: str,
    head: Sequence[Line] = (),
    before: int = NEWEST,
) -> Leaf:
    """Return the page of a list: `read(tx, before)` gives its newest entries below a number, `MOST` at the most.

    Its first rows lead to what is older and back to the newest, under the same code, so that one BACK leaves them all.
    """

    def lines(tx: Transaction, _machine: "Machine") -> Sequence[Line]:
        found = read(tx, before)
        ways = list(head) if before == NEWEST else []
        if len(found) == MOST:
            older = listed(code, title, read, empty=empty, head=head, before=found[-1][0])
            ways.append(Line("Older", leads=older))
        if before != NEWEST:
            ways.append(Line("Newest", leads=listed(code, title, read, empty=empty, head=head)))
        entries = [line for _, line in found] or [Line(empty)]
        return [*ways, *entries]

    return Leaf(code, title, lines)
