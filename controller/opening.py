"""How the books are opened for play: what was decided (clear, restore) is finished first, then their key is proved."""

from collections.abc import Callable, Mapping
from pathlib import Path

from controller import identity
from controller.journal.store import PRAGMAS, Store
from controller.succession import finish

FIRST = "the first start with a key"


def opened_books(
    path: Path,
    key: Path,
    wall_ms: Callable[[], int],
    *,
    simulated: bool = False,
    create: bool = False,
    pragmas: Mapping[str, str | int] = PRAGMAS,
    who: str = "cabinet",
    reason: str = FIRST,
) -> Store:
    """Open the journal at `path` and prove that it is bound to the key in the file at `key`.

    Books that were never bound get a new key. Raises what `Store` and `finish` raise, and `IdentityError`.
    """
    finish(path)
    store = Store(path, wall_ms, simulated=simulated, create=create, pragmas=pragmas)
    try:
        own, new = identity.bound_to(store.transact(identity.bond), key)
        if new:
            store.transact(lambda tx: identity.bind(tx, own, who, reason))
        identity.settled(own, key)
    except BaseException:
        store.close()
        raise
    return store
