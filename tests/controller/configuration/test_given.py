"""What somebody changes in `cabinet.toml` is told by the books at the next start."""

from pathlib import Path

import msgspec

from controller.configuration.cabinet_toml import Cabinet
from controller.configuration.given import FILE, record_given
from controller.journal.settings import changes
from controller.journal.store import Store
from drivers.wiring import Hopper
from tests.rigs.books import opened
from tests.rigs.machine import Rig
from tests.rigs.virtual_cabinet import configuration


def with_limit(cabinet: Cabinet, cents: int) -> Cabinet:
    """The cabinet with another bound for large wins."""
    limits = msgspec.structs.replace(cabinet.limits, large_win_cents=cents)
    return msgspec.structs.replace(cabinet, limits=limits)


def told(store: Store, given: Cabinet) -> list[tuple[str, str, str, str]]:
    """Start with that file; return all changes that the books tell of, oldest first."""
    store.transact(lambda tx: record_given(tx, given))
    found = store.transact(lambda tx: changes(tx, 100))
    return [(change.key, change.old, change.new, change.who) for change in reversed(found)]


def test_the_first_start_tells_nothing_and_the_same_file_neither(tmp_path: Path) -> None:
    """There is nothing to compare with; then there is no difference."""
    with opened(tmp_path) as store:
        cabinet = configuration(tmp_path)
        assert told(store, cabinet) == []
        assert told(store, cabinet) == []


def test_each_key_that_changed_is_told_once_with_what_it_was(tmp_path: Path) -> None:
    """Changed, taken out, put back: the books tell each, and that the file did it."""
    with opened(tmp_path) as store:
        cabinet = with_limit(configuration(tmp_path), 120_000)
        assert cabinet.hopper is not None
        told(store, cabinet)
        changed = with_limit(cabinet, 500_000)
        first = ("limits.large_win_cents", "120000", "500000", FILE)
        assert told(store, changed) == [first]
        bare = msgspec.structs.replace(changed, hopper=None)
        taken = told(store, bare)[1:]
        assert ("hopper.port", msgspec.json.encode(cabinet.hopper.port).decode(), "null", FILE) in taken
        assert {key.partition(".")[0] for key, *_ in taken} == {"hopper"}
        again = told(store, changed)[1 + len(taken) :]
        assert sorted(again) == sorted((key, new, old, FILE) for key, old, new, _ in taken)


def test_a_secret_is_told_as_given_and_never_as_what_it_is(tmp_path: Path) -> None:
    """The hopper's PIN stands nowhere in the books."""
    with opened(tmp_path) as store:
        cabinet = configuration(tmp_path)
        assert isinstance(cabinet.hopper, Hopper)
        told(store, cabinet)
        secret = msgspec.structs.replace(cabinet, hopper=msgspec.structs.replace(cabinet.hopper, pin="73519086"))
        assert told(store, secret) == [("hopper.pin", "false", "true", FILE)]
        path = store.path
    for file in path.parent.glob("journal.sqlite*"):
        assert b"73519086" not in file.read_bytes()


async def test_a_machine_tells_it_at_its_start(tmp_path: Path) -> None:
    """The supervisor starts with another file: an event of the settings' kind, and the machine plays."""
    async with Rig(tmp_path) as rig:
        old = rig.cabinet.limits.large_win_cents
        rig.cabinet = with_limit(rig.cabinet, old + 100)
        await rig.restart(until="attract")
        assert await rig.events("setting") == [f"limits.large_win_cents: {old} → {old + 100} by {FILE}"]
