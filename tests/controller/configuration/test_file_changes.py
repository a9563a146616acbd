"""Changes of `cabinet.toml` are recorded at the next start."""

from pathlib import Path

import msgspec

from controller.configuration.cabinet_toml import Config
from controller.configuration.file_changes import FILE, record_file_changes
from controller.journal.settings import changes
from controller.journal.store import Store
from drivers.wiring import Hopper
from tests.rigs.books import opened
from tests.rigs.machine import Rig
from tests.rigs.virtual_cabinet import configuration


def with_limit(config: Config, cents: int) -> Config:
    """The cabinet with another bound for large wins."""
    limits = msgspec.structs.replace(config.limits, large_win_cents=cents)
    return msgspec.structs.replace(config, limits=limits)


def changes_at_start(store: Store, file_config: Config) -> list[tuple[str, str, str, str]]:
    """Start with that file; return all recorded changes, oldest first."""
    store.transact(lambda tx: record_file_changes(tx, file_config))
    found = store.transact(lambda tx: changes(tx, 100))
    return [(change.key, change.old, change.new, change.who) for change in reversed(found)]


def test_the_first_start_records_nothing_and_the_same_file_neither(tmp_path: Path) -> None:
    """There is nothing to compare with; then there is no difference."""
    with opened(tmp_path) as store:
        config = configuration(tmp_path)
        assert changes_at_start(store, config) == []
        assert changes_at_start(store, config) == []


def test_each_key_that_changed_is_reported_once_with_what_it_was(tmp_path: Path) -> None:
    """Changed, removed, put back: each is recorded, with the file as its author."""
    with opened(tmp_path) as store:
        config = with_limit(configuration(tmp_path), 120_000)
        assert config.hopper is not None
        changes_at_start(store, config)
        changed = with_limit(config, 500_000)
        first = ("limits.large_win_cents", "120000", "500000", FILE)
        assert changes_at_start(store, changed) == [first]
        bare = msgspec.structs.replace(changed, hopper=None)
        taken = changes_at_start(store, bare)[1:]
        assert ("hopper.port", msgspec.json.encode(config.hopper.port).decode(), "null", FILE) in taken
        assert {key.partition(".")[0] for key, *_ in taken} == {"hopper"}
        again = changes_at_start(store, changed)[1 + len(taken) :]
        assert sorted(again) == sorted((key, new, old, FILE) for key, old, new, _ in taken)


def test_a_secret_is_reported_as_given_and_never_as_what_it_is(tmp_path: Path) -> None:
    """The hopper's PIN is nowhere in the books."""
    with opened(tmp_path) as store:
        config = configuration(tmp_path)
        assert isinstance(config.hopper, Hopper)
        changes_at_start(store, config)
        secret = msgspec.structs.replace(config, hopper=msgspec.structs.replace(config.hopper, pin="73519086"))
        assert changes_at_start(store, secret) == [("hopper.pin", "false", "true", FILE)]
        path = store.path
    for file in path.parent.glob("journal.sqlite*"):
        assert b"73519086" not in file.read_bytes()


async def test_a_machine_records_it_at_its_start(tmp_path: Path) -> None:
    """The supervisor starts with another file: an event of the settings' kind, and the machine plays."""
    async with Rig(tmp_path) as rig:
        old = rig.config.limits.large_win_cents
        rig.config = with_limit(rig.config, old + 100)
        await rig.restart(until="attract")
        assert await rig.events("setting") == [f"limits.large_win in {FILE}: {old} cents → {old + 100} cents"]
