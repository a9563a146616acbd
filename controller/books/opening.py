"""How the books are opened for play: what was decided (clear, restore) is finished first, then their key is proved."""

from collections.abc import Callable, Mapping
from pathlib import Path

from controller.books import identity
from controller.books.second_copy import keep_second_copy
from controller.books.succession import finish
from controller.journal.store import PRAGMAS, Store

FIRST = "the first start with a key"


def opened_books(
    path: Path,
    key: Path,
    wall_ms: Callable[[], int],
    *,
    simulated: bool = False,
    create: bool = False,
    pragmas: Mapping[str, str | int] = PRAGMAS,
    second_copy: Path | None = None,
    who: str = "cabinet",
    reason: str = FIRST,
) -> Store:
    """Open the journal at `path` and prove that it is bound to the key in the file at `key`.

    Books that were never bound get a new key. With `second_copy` that file is compared and kept in step from now on.
    Raises what `Store` and `finish` raise, `IdentityError`, and `SecondCopyError`.
    """
    finish(path)
    store = Store(path, wall_ms, simulated=simulated, create=create, pragmas=pragmas)
    try:
        own, new = identity.bound_to(store.transact(identity.bond), key)
        if new:
            store.transact(lambda tx: identity.bind(tx, own, who, reason))
        identity.settled(own, key)
        if second_copy is not None:
            keep_second_copy(store, second_copy, own.public_key.hex())
    except BaseException:
        store.close()
        raise
    return store
