"""Every setting of the table: changed, stored, recorded and refused."""

import asyncio
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.books.audit import audit
from controller.cli import main
from controller.configuration.cabinet_toml import Config, parse
from controller.features.care.presets import PRESETS, in_force
from controller.hardware import hopper_books
from controller.journal import event_log, money, payouts, people, rounds
from controller.journal.actor import Actor, Role
from controller.journal.errors import RefusedError
from controller.journal.periods import lifetime
from controller.journal.settings import changes, stored_settings
from controller.journal.store import Store
from controller.journal.transaction import Transaction
from controller.service import presets
from controller.service.page import Line, MenuTransaction, Page, Submission
from controller.service.setting_lines import SAME, line_of
from controller.service.typing import Typing
from controller.settings.settings import CREDIT, PAYOUT, ROUND, Value, change, fitted, forget, locked_by, value_at
from controller.settings.settings_table import OFF, ON, all_settings
from gamekit.catalogue import load, names
from tests.rigs.books import opened, segment, wager
from tests.rigs.people import set_up_person
from tests.rigs.settings import REFUSABLE, TABLE, cabinet_in, goods
from tests.rigs.shots import Shots
from tests.rigs.virtual_cabinet import SAMPLE, VirtualCabinet

pytestmark = [pytest.mark.sampled(6), pytest.mark.requirement("C1", "C11", "B6", "S1")]

WHO = Role.TECHNICIAN
OTHER_SEAL = "5" * 64


class Bench:
    """A journal with a cabinet, on which acts of the menu are done one by one."""

    def __init__(self, folder: Path, store: Store) -> None:
        self.store = store
        self.file_config = cabinet_in(folder)

    @property
    def config(self) -> Config:
        """The cabinet with what is kept."""
        return fitted(self.file_config, self.store.transact(stored_settings)).config

    @property
    def machine(self) -> Any:
        """A machine as far as the pages of configuration look at it."""
        return SimpleNamespace(settings=SimpleNamespace(file_config=self.file_config, config=self.config))

    def line(self, name: str) -> Line:
        """The line of that setting as it is now."""
        found = {setting.name: setting for setting in all_settings(self.config)}
        return line_of(found[name], self.machine)

    def do(self, act: object, **typed: str) -> str:
        """Do an act as the menu does."""
        assert isinstance(act, MenuTransaction)
        return self.store.transact(lambda tx: act.do(tx, Submission(Actor(WHO), typed)))

    def page(self) -> Sequence[Line]:
        """The lines of C.8 as they are now."""
        machine = self.machine
        return self.store.transact(lambda tx: presets.read(tx, machine))

    def set(self, name: str, typed: str) -> str:
        """Type this for that setting."""
        return self.do(self.line(name).leads, value=typed)

    def agrees(self) -> None:
        """Each change has its event with the same figures; the stored values are their result; the audit agrees."""
        recorded = self.store.transact(lambda tx: changes(tx, 1000))
        events = self.store.transact(lambda tx: event_log.events_of(tx, ["setting"], 2**62, 1000))
        said = [(event.seq, *(event.data[name] for name in ("key", "old", "new", "who"))) for event in events]
        assert said == [(one.seq, one.key, one.old, one.new, one.who) for one in recorded]
        newest: dict[str, str] = {}
        for one in recorded:
            newest.setdefault(one.key, one.new)
        for key, value in newest.items():
            assert value_at(self.config, key) == msgspec.json.decode(value)
        assert audit(self.store.path, lambda *_: None).failures == []


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with opened(tmp_path) as store:
        yield Bench(tmp_path, store)


@pytest.mark.requirement("L6")
@pytest.mark.parametrize("name", TABLE)
def test_every_setting_takes_its_lowest_its_highest_and_every_choice(bench: Bench, name: str) -> None:
    """What is in force is what was typed, the row says it, and old, new and person are recorded (H.5)."""
    for typed in goods(TABLE[name]):
        setting = TABLE[name]
        before = bench.store.transact(lambda tx: len(changes(tx, 1000)))
        try:
            recorded = bench.set(name, typed)
        except RefusedError:
            assert setting.key in REFUSABLE or setting.member is not None
            continue
        now = {found.name: found for found in all_settings(bench.config)}[name]
        value = now.value(bench.config)
        match setting.kind:
            case "number" | "cents":
                assert value == int(typed) * setting.per
            case "switch":
                assert value is (typed == ON)
            case "choice":
                assert now.words(value) == typed
            case "text":
                assert value == typed
        newest = bench.store.transact(lambda tx: changes(tx, 1000))
        assert (len(newest) == before) is (recorded == SAME)
        if recorded != SAME:
            assert (newest[0].key, newest[0].who) == (setting.key, WHO)
            assert newest[0].old != newest[0].new
    bench.agrees()


@pytest.mark.parametrize("name", [name for name, setting in TABLE.items() if setting.kind in ("number", "cents")])
@pytest.mark.parametrize("beyond", [-1, 1])
def test_a_figure_beyond_its_limits_is_refused_twice(bench: Bench, name: str, beyond: int) -> None:
    """It cannot be typed, and were it, the checks of `cabinet.toml` would refuse it: nothing changes."""
    setting, line = TABLE[name], bench.line(name)
    low, high = setting.limits
    figure = low - 1 if beyond < 0 else high + 1
    assert isinstance(line.leads, MenuTransaction)
    typing = Typing(line.leads.entries[0])
    if figure >= 0:
        typing.typed = str(figure)
        with pytest.raises(RefusedError, match="It must be"):
            typing.take("done")
    with pytest.raises(RefusedError, match="outside the limits"):
        bench.store.transact(lambda tx: change(tx, bench.file_config, {setting.key: figure * setting.per}, WHO))
    assert bench.store.transact(stored_settings) == {}
    bench.agrees()


BAD: dict[str, Value] = {
    "cabinet.name": "",
    "cabinet.number": "x" * 25,
    "cabinet.location": "a\nb",
    "cabinet.language": "fr",
    "cabinet.money.decimal": ",",
    "cabinet.money.thousands": ".",
    "games.enabled": ["pluto"],
    "games.default": "pluto",
    "games.coin_values_cents": [1, 2],
    "games.default_coin_value_cents": 3,
    "limits.notes_cents": [5],
    "coin_acceptor.coins_cents": [0],
    "games.bets_cents.mystery_elves": [11],
    "games.bets_cents.witch_feature": [],
    "games.gamble_cap_cents.bewitched": load("bewitched").gamble_cap_cents + 1,
}
"""A value that no `cabinet.toml` could have, for settings whose kind alone does not say one."""


@pytest.mark.parametrize("key", sorted({setting.key for setting in TABLE.values()} - {"cabinet.money.symbol"}))
def test_every_setting_refuses_what_cabinet_toml_could_not_have(bench: Bench, key: str) -> None:
    """The same checks, in words for the screen; nothing is stored or recorded as changed."""
    kinds = {setting.key: setting.kind for setting in TABLE.values()}
    bad = BAD.get(key, {"switch": "x", "choice": "blinking", "number": -1, "cents": -1, "text": 5}[kinds[key]])
    with pytest.raises(RefusedError) as refused:
        bench.store.transact(lambda tx: change(tx, bench.file_config, {key: bad}, WHO))
    assert refused.value.template[0].isupper()
    assert bench.store.transact(stored_settings) == {}
    bench.agrees()


def credited(tx: Transaction) -> None:
    """A credit of 2.00."""
    money.coins_taken(tx, 1, 1, (200,), 0)


def in_a_round(tx: Transaction) -> None:
    """A round that is not over, with no credit left."""
    money.coins_taken(tx, 1, 1, (100,), 0)
    rounds.begin(tx, wager(100), "null", segment(0, ends=False))


def paying(tx: Transaction) -> None:
    """A payout that is not over."""
    credited(tx)
    payouts.begin_payout(tx, "hand_pay", 200)


def holding(tx: Transaction) -> None:
    """No credit, and money held of a payout whose hopper was given up."""
    credited(tx)
    payouts.begin_payout(tx, "hopper", 200, 100)
    payouts.dispensing(tx, 815, 1, 1000)
    hopper_books.given_up(tx)


@pytest.mark.requirement("C11", "G7")
@pytest.mark.parametrize(
    ("occupied", "reason"), [(credited, CREDIT), (in_a_round, ROUND), (paying, PAYOUT), (holding, PAYOUT)]
)
@pytest.mark.parametrize("key", sorted({setting.key for setting in TABLE.values()}))
def test_money_settings_wait_for_an_empty_machine(bench: Bench, occupied: Any, reason: str, key: str) -> None:
    """Not with credit, in a game or while something is paid; all else may be set then."""
    bench.store.transact(occupied)
    setting = next(setting for setting in TABLE.values() if setting.key == key)
    now = setting.words(setting.value(bench.config))
    typed = next(typed for typed in goods(setting) if typed != now and typed != str(value_at(bench.config, key)))
    if setting.member is not None and setting.value(bench.config):
        typed = OFF
    if setting.money and setting.key not in REFUSABLE:
        with pytest.raises(RefusedError, match=reason):
            bench.set(setting.name, typed)
        assert bench.store.transact(stored_settings) == {}
    elif not setting.money:
        assert bench.set(setting.name, typed) != SAME
    assert bench.store.transact(locked_by) == reason


def test_the_last_of_a_list_stays_on(bench: Bench) -> None:
    """A cabinet without any game or coin plays nothing; one without notes plays for coins."""
    for cents in (1, 2, 5, 20, 50, 100):
        bench.set(f"games.coin_values_cents={cents}", OFF)
    with pytest.raises(RefusedError, match="One of them must stay on"):
        bench.set("games.coin_values_cents=10", OFF)
    for name in names()[1:]:
        bench.set(f"games.enabled={name}", OFF)
    with pytest.raises(RefusedError, match="One of them must stay on"):
        bench.set("games.enabled=neptune", OFF)
    for cents in bench.config.limits.notes_cents:
        bench.set(f"limits.notes_cents={cents}", OFF)
    assert bench.config.limits.notes_cents == ()
    bench.agrees()


def test_the_first_game_cannot_be_taken_off(bench: Bench) -> None:
    """The lobby's cursor would be nowhere: the words say what to do first."""
    with pytest.raises(RefusedError, match="choose another first"):
        bench.set("games.enabled=neptune", OFF)
    bench.set("games.default", "Bewitched")
    bench.set("games.enabled=neptune", OFF)
    assert bench.config.games.enabled == names()[1:]
    bench.agrees()


def test_a_game_without_pictures_is_not_offered(bench: Bench) -> None:
    """What `cabinet check-config` would refuse, the menu refuses."""
    bench.set("games.enabled=bewitched", OFF)
    shutil.rmtree(Path(bench.file_config.display.baked, "bewitched"))
    with pytest.raises(RefusedError, match="pictures"):
        bench.set("games.enabled=bewitched", ON)


@pytest.mark.requirement("B6")
def test_all_coins_means_each_of_them(bench: Bench) -> None:
    """An empty list takes every coin that the acceptor knows: one taken off leaves the others."""
    assert bench.line("coin_acceptor.coins_cents=5").value == ON
    bench.set("coin_acceptor.coins_cents=5", OFF)
    acceptor = bench.config.coin_acceptor
    assert acceptor is not None
    assert acceptor.coins_cents == (1, 2, 10, 20, 50, 100, 200)


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_a_preset_sets_all_that_it_names_and_defaults_forget_it(bench: Bench, preset: Any) -> None:
    """C.8: in one go, each change recorded by itself; the factory's values are those of `cabinet.toml`."""
    assert {setting.key for setting in TABLE.values()} >= preset.values.keys()
    page = next(line.leads for line in bench.page() if line.label == preset.name)
    assert isinstance(page, Page)
    machine = bench.machine
    take = bench.store.transact(lambda tx: page.read(tx, machine))[0]
    assert bench.do(take.leads) == (SAME if in_force(preset, bench.file_config) else "It is saved")
    assert all(value_at(bench.config, key) == value for key, value in preset.values.items())
    assert bench.do(take.leads) == SAME
    defaults = bench.page()[-1]
    assert isinstance(defaults.leads, MenuTransaction)
    assert defaults.leads.confirmations == 2
    bench.do(defaults.leads)
    assert bench.store.transact(stored_settings) == {}
    assert bench.config == bench.file_config
    bench.agrees()


@pytest.mark.requirement("C11")
def test_a_preset_with_money_waits_for_an_empty_machine(bench: Bench) -> None:
    """All or nothing: with credit not even the sound is set."""
    bench.store.transact(credited)
    with pytest.raises(RefusedError, match=CREDIT):
        bench.store.transact(lambda tx: change(tx, bench.file_config, PRESETS[0].values, WHO))
    assert bench.store.transact(stored_settings) == {}


# what no longer fits


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        ('["neptune"]', "games.enabled", "does not fit games.default"),
        ("99", "service.pin_attempts", "give 3 to 10"),
        ('"', "sound.percent", "which is no value"),
        ("4", "pins.buttons.spin.pin", "is no setting of the service menu"),
    ],
)
def test_what_no_longer_fits_is_named_and_left_out(bench: Bench, text: str, key: str, words: str) -> None:
    """With its key and the mend; all other settings hold."""
    games = msgspec.structs.replace(bench.file_config.games, default="bewitched")
    file_config = msgspec.structs.replace(bench.file_config, games=games)
    stored = {"sound.attract": "false", key: text, "limits.credit_cents": "5000"}
    config, unfit = fitted(file_config, stored)
    assert [problem.key for problem in unfit] == [key]
    assert words in unfit[0].text
    assert "C.8" in unfit[0].text
    assert (config.sound.attract, config.limits.credit_cents) == (False, 5000)
    assert value_at(config, key) == value_at(file_config, key)


@pytest.mark.requirement("C1")
def test_check_config_names_a_setting_that_no_longer_fits(tmp_path: Path) -> None:
    """With key and mend, read from the journal without touching it; without a journal there is nothing to name."""
    path, journal = tmp_path / "cabinet.toml", tmp_path / "journal.sqlite"
    path.write_text(SAMPLE.read_text().replace("/var/lib/cabinet/journal.sqlite", str(journal)))
    before = CliRunner().invoke(main, ["check-config", "--quick", str(path)])
    assert "service menu" not in before.output
    with opened(tmp_path) as store:
        file_config = parse(SAMPLE.read_text())
        store.transact(lambda tx: change(tx, file_config, {"games.enabled": ["neptune", "bewitched"]}, WHO))
    fits = CliRunner().invoke(main, ["check-config", "--quick", str(path)])
    assert "service menu" not in fits.output
    path.write_text(path.read_text().replace('default = "neptune"', 'default = "mystery_elves"'))
    unfit = CliRunner().invoke(main, ["check-config", "--quick", str(path)])
    assert unfit.exit_code == 1
    assert f"{path}: games.enabled: was set in the service menu and does not fit games.default" in unfit.output
    assert str(journal) in unfit.output


@pytest.mark.requirement("B6")
async def test_the_coin_map_holds_from_the_next_start(tmp_path: Path) -> None:
    """The page says so, and the acceptor of the next supervisor turns that coin away."""

    async def play() -> None:
        cabinet = VirtualCabinet(tmp_path)
        for taken in (True, False):
            supervisor = await cabinet.start()
            await cabinet.until(lambda: supervisor.machine.states.takes_coins)  # noqa: B023 - awaited within this pass
            await asyncio.sleep(3)
            before = supervisor.journal.credit_cents
            cabinet.coins.insert(50)
            await asyncio.sleep(3)
            assert (supervisor.journal.credit_cents - before == 50) is taken
            if taken:
                await supervisor.machine.journal.attempt(lambda tx: pay_out(tx, 50))
                file_config = supervisor.machine.settings.file_config
                coins: dict[str, Value] = {"coin_acceptor.coins_cents": [100]}
                await supervisor.machine.journal.attempt(lambda tx: change(tx, file_config, coins, WHO))  # noqa: B023 - awaited here
            await cabinet.kill()

    def pay_out(tx: Transaction, cents: int) -> None:
        payouts.begin_payout(tx, "hand_pay", cents)
        payouts.confirm_hand_pay(tx)

    await play()


# whatever is done, in whatever order


@pytest.mark.requirement("M10", "C11")
@given(st.data())
@settings(max_examples=15)
def test_no_order_of_changes_moves_a_money_meter(data: st.DataObject) -> None:
    """Settings, presets and defaults with and without credit; the figures are kept, event and value agree."""
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder)) as store:
        bench = Bench(Path(folder), store)
        if data.draw(st.booleans(), "credit"):
            store.transact(credited)
        before, credit = store.transact(lifetime), store.credit_cents
        for _ in range(data.draw(st.integers(1, 12), "acts")):
            name = data.draw(st.sampled_from([*TABLE, *(preset.name for preset in PRESETS), "defaults"]), "what")
            held = store.transact(stored_settings)
            try:
                if name == "defaults":
                    store.transact(lambda tx: forget(tx, bench.file_config, tuple(stored_settings(tx)), WHO))
                elif name in TABLE:
                    present = {setting.name: setting for setting in all_settings(bench.config)}
                    if name in present:
                        bench.set(name, data.draw(st.sampled_from(goods(present[name])), "typed"))
                else:
                    values = next(preset.values for preset in PRESETS if preset.name == name)
                    store.transact(lambda tx, values=values: change(tx, bench.file_config, values, WHO))
            except RefusedError:
                assert store.transact(stored_settings) == held
            assert (store.transact(lifetime), store.credit_cents) == (before, credit)
        bench.agrees()


# the power goes


def cut_everywhere(bench: Bench, folder: Path, act: Any) -> tuple[list[object], int]:
    """Do `act` with the power cut before each of its statements and after it; return what each journal holds then."""
    shots: list[Shots] = []

    def do(tx: Transaction) -> None:
        shots.append(Shots(tx, bench.store.path, folder))
        act(shots[0])

    bench.store.transact(do)
    shots[0].shoot()
    left = []
    for number in range(shots[0].taken):
        with opened(folder / str(number), create=False) as store:
            copy = Bench.__new__(Bench)
            copy.store, copy.file_config = store, bench.file_config
            copy.agrees()
            (person,) = store.transact(people.people)
            left.append((store.transact(stored_settings), person.pin == OTHER_SEAL))
    return left, shots[0].taken


ACTS: dict[str, Any] = {
    "a switch": lambda bench, tx: change(tx, bench.file_config, {"games.autospin": False}, WHO),
    "a limit": lambda bench, tx: change(tx, bench.file_config, {"limits.credit_cents": 5000}, WHO),
    "a list": lambda bench, tx: change(tx, bench.file_config, {"limits.notes_cents": [500]}, WHO),
    "a preset": lambda bench, tx: change(tx, bench.file_config, PRESETS[2].values, WHO),
    "the defaults": lambda bench, tx: forget(tx, bench.file_config, tuple(stored_settings(tx)), WHO),
    "the PIN": lambda _bench, tx: people.set_pin(tx, 1, OTHER_SEAL),
}


@pytest.mark.requirement("C1", "P5")
@pytest.mark.parametrize("name", ACTS)
def test_a_power_cut_leaves_a_change_done_or_not_done(bench: Bench, tmp_path: Path, name: str) -> None:
    """Before every single statement and after the last; value, row and event agree in each journal."""
    set_up_person(bench.store)
    bench.store.transact(lambda tx: change(tx, bench.file_config, {"sound.percent": 40}, WHO))
    before = bench.store.transact(stored_settings)
    folder = tmp_path / "cuts"
    folder.mkdir()
    left, count = cut_everywhere(bench, folder, lambda tx: ACTS[name](bench, tx))
    assert count >= 5
    after = (bench.store.transact(stored_settings), name == "the PIN")
    assert after != (before, False)
    assert left == [(before, False)] * (count - 1) + [after]
