import sqlite3
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.configuration.cabinet_toml import load
from controller.features.demo.books import Books, RoundInBooks
from controller.features.demo.launcher import CRASH_PAUSE_S, Cabinet, Plan, Web
from controller.features.demo.processes import GivenUpError
from controller.features.demo.seed_search import find_story, outcomes
from controller.features.demo.settings import DEVICES, RunDirectory
from controller.journal import money, rounds
from controller.journal.migrations import migrate
from controller.journal.store import Store
from controller.rounds.draws import seeded_source
from drivers.simulated.front import Front
from drivers.simulated.front_client import FrontLostError
from gamekit.catalogue import load as load_game
from gamekit.play import Stake
from tests.rigs.fake_process import FakeProcess, FakeReadiness
from ui.protocol.values import Bet

FRONT = Front(mains=True, lamps={}, tower={}, meters={}, doors={}, keys={}, buttons={})


class Link:
    """The front of hardware that is not there: shows what the test says."""

    def __init__(self) -> None:
        self.latest: Front | None = None
        self.coming: Front | None = FRONT
        self.refusals = 0
        self.lost = False

    def connect(self) -> None:
        """Refuse as often as was asked for."""
        if self.refusals:
            self.refusals -= 1
            raise FrontLostError("nobody listens")

    def receive(self, timeout: float = 0.0) -> bool:
        """Show the front that is coming."""
        del timeout
        if self.lost:
            raise FrontLostError("hung up")
        self.latest = self.coming
        return True

    def close(self) -> None:
        """Nothing to hang up."""


class Bench:
    """A cabinet of fake processes on a clock that the test turns."""

    def __init__(self, tmp_path: Path, *, bench: bool = False, web: Web | None = None) -> None:
        self.now = 100.0
        self.link = Link()
        self.started: list[tuple[str, FakeProcess]] = []
        self.plan = Plan(run=RunDirectory(tmp_path), baked=tmp_path, seed=7, bench=bench, web=web)
        self.reported: list[str] = []
        self.cabinet = Cabinet(
            self.plan,
            self.link,
            spawn=self._spawn,
            now=lambda: self.now,
            report=self.reported.append,
            readiness=FakeReadiness,
        )

    def _spawn(self, command: Sequence[str], log: Path, variables: Mapping[str, str]) -> FakeProcess:
        del log, variables
        self.started.append((command[2], FakeProcess()))
        return self.started[-1][1]

    def step(self, front: Front = FRONT, *, after: float = 0.0) -> bool:
        """One round of the launcher's loop."""
        self.now += after
        self.link.coming = front
        return self.cabinet.step()

    def running(self) -> list[str]:
        """Which modules run, in the order of their starts."""
        return [name for name, process in self.started if process.code is None]


def changed(**fields: object) -> Front:
    return msgspec.structs.replace(FRONT, **fields)


def test_hardware_comes_first_then_supervisor_and_display(tmp_path: Path) -> None:
    """The devices' sockets are there before anybody looks for them; the bench joins where there is a screen."""
    bench = Bench(tmp_path, bench=True)
    bench.link.refusals = 3
    bench.cabinet.start()
    assert bench.running() == ["drivers.simulated", "drivers.simulated.bench"]
    assert bench.step() is True
    assert bench.running() == ["drivers.simulated", "drivers.simulated.bench", "controller.supervisor", "ui"]


def test_the_bench_is_a_page_where_it_is_served(tmp_path: Path) -> None:
    """With a place to serve it there is the page's process and no window, and no address of an earlier one."""
    bench = Bench(tmp_path, bench=True, web=Web("127.0.0.1", 8080))
    address = RunDirectory(tmp_path).bench_address
    address.write_text("http://127.0.0.1:1/old/\n")
    bench.cabinet.start()
    assert bench.running() == ["drivers.simulated", "drivers.simulated.bench.web"]
    assert not address.exists()
    command = bench.plan.front()
    assert command[command.index("--host") :] == ["--host", "127.0.0.1", "--port", "8080"]


@pytest.mark.parametrize("other", ["--headless", "--unattended"])
def test_a_demo_that_shows_no_bench_serves_none(other: str) -> None:
    """`--web` with either is wrong usage."""
    result = CliRunner().invoke(main, ["demo", "--web", other])
    assert (result.exit_code, "--web shows the bench" in result.output) == (2, True)


def test_the_display_keeps_its_language(tmp_path: Path) -> None:
    """A demo that was set to German says in German that it starts again."""
    run = RunDirectory(tmp_path)
    command = Plan(run=run, baked=tmp_path).display()
    assert command[command.index("--language-file") + 1] == str(run.language)


def test_nothing_is_started_before_the_front_is_seen(tmp_path: Path) -> None:
    """Whether the mains are on is known before a supervisor starts."""
    bench = Bench(tmp_path)
    bench.cabinet.start()
    bench.link.coming = None
    bench.cabinet.step()
    assert bench.running() == ["drivers.simulated"]
    bench.step(changed(mains=False))
    assert bench.running() == ["drivers.simulated"]


def test_the_crash_button_kills_supervisor_and_display_for_a_second(tmp_path: Path) -> None:
    """Both get SIGKILL at once and come back after the pause, while the devices run on."""
    bench = Bench(tmp_path)
    bench.cabinet.start()
    bench.step()
    first = dict(bench.started)
    bench.step(changed(crashes=1))
    assert [first[name].signals for name in ("controller.supervisor", "ui")] == [["kill"], ["kill"]]
    assert bench.running() == ["drivers.simulated"]
    bench.step(changed(crashes=1), after=CRASH_PAUSE_S - 0.1)
    assert bench.running() == ["drivers.simulated"]
    bench.step(changed(crashes=1), after=0.1)
    assert bench.running() == ["drivers.simulated", "controller.supervisor", "ui"]


def test_crashes_before_the_launcher_came_do_not_count(tmp_path: Path) -> None:
    """The first front is the starting point, whatever its counter says."""
    bench = Bench(tmp_path)
    bench.cabinet.start()
    bench.step(changed(crashes=4))
    assert bench.running() == ["drivers.simulated", "controller.supervisor", "ui"]


def test_who_ends_by_itself_is_reported_and_who_was_killed_is_not(tmp_path: Path) -> None:
    """The bench's crash button and mains switch say what happened themselves."""
    bench = Bench(tmp_path)
    bench.cabinet.start()
    bench.step()
    bench.step(changed(crashes=1))
    bench.step(changed(crashes=1), after=CRASH_PAUSE_S)
    assert bench.reported == []
    dict(bench.started)["ui"].code = 3
    bench.step(changed(crashes=1))
    log = tmp_path / "display.log"
    assert bench.reported == [f"display ended with 3 and is started again: it has written nothing to {log}"]


def test_without_mains_everything_stays_dark(tmp_path: Path) -> None:
    """The switch kills both, the dark lasts, and a crash in the dark starts nothing; on again, both start at once."""
    bench = Bench(tmp_path)
    bench.cabinet.start()
    bench.step()
    bench.step(changed(mains=False))
    bench.step(changed(mains=False, crashes=1), after=60)
    assert bench.running() == ["drivers.simulated"]
    bench.step(changed(mains=True, crashes=1))
    assert bench.running() == ["drivers.simulated", "controller.supervisor", "ui"]


def test_closing_the_bench_ends_the_demo_in_order(tmp_path: Path) -> None:
    """The loop ends with the window, and stopping leaves no process; the supervisor gets time to close the books."""
    bench = Bench(tmp_path, bench=True)
    bench.cabinet.start()
    bench.step()
    processes = dict(bench.started)
    processes["drivers.simulated.bench"].code = 0
    assert bench.step() is False
    bench.cabinet.stop()
    assert bench.running() == []
    assert processes["controller.supervisor"].signals == ["terminate"]


def test_a_bench_that_fails_ends_the_demo_with_its_last_words(tmp_path: Path) -> None:
    """A window that was closed ends with 0; anything else is no wish of the player's."""
    bench = Bench(tmp_path, bench=True)
    bench.cabinet.start()
    bench.step()
    (tmp_path / "bench.log").write_text("bench: the screen is gone\n")
    dict(bench.started)["drivers.simulated.bench"].code = 1
    with pytest.raises(GivenUpError, match=r"the bench ended with 1; (.|\n)*bench: the screen is gone"):
        bench.step()


def test_hardware_that_dies_ends_the_demo(tmp_path: Path) -> None:
    """Without devices there is no cabinet: the reason and the log are printed."""
    bench = Bench(tmp_path)
    bench.cabinet.start()
    bench.step()
    bench.link.lost = True
    with pytest.raises(GivenUpError, match="the simulated hardware is gone"):
        bench.cabinet.step()


def test_hardware_that_does_not_start_is_reported(tmp_path: Path) -> None:
    """A hardware process that ends at once is not waited for."""
    bench = Bench(tmp_path)
    bench.link.refusals = 1000

    def spawn_dead(_command: Sequence[str], _log: Path, _variables: Mapping[str, str]) -> FakeProcess:
        process = FakeProcess()
        process.code = 1
        return process

    cabinet = Cabinet(
        Plan(run=RunDirectory(tmp_path), baked=tmp_path),
        bench.link,
        spawn=spawn_dead,
        now=lambda: bench.now,
        report=bench.reported.append,
        readiness=FakeReadiness,
    )
    with pytest.raises(GivenUpError, match="the simulated hardware does not start"):
        cabinet.start()


def test_the_demos_configuration_is_valid_and_complete(tmp_path: Path) -> None:
    """Every button, door, key, tier and meter is wired, on ports and pins of its own, without parity."""
    run = RunDirectory.made(tmp_path / "run")
    config = load(run.write_configuration(tmp_path / 'art "of" all'))
    assert config.simulated
    assert config.display.baked == str(tmp_path / 'art "of" all')
    assert config.cabinet.display_socket == run.display_socket
    assert len(config.pins.buttons) == 8
    assert config.bill_validator is not None
    assert config.bill_validator.parity == "none"


@pytest.mark.parametrize("devices", DEVICES)
def test_a_demo_chooses_its_devices(tmp_path: Path, devices: str) -> None:
    """Each choice is a valid cabinet; a recycler and a changer pay on their validator's port, others on their own."""
    config = load(RunDirectory.made(tmp_path / "run").write_configuration(tmp_path / "baked", devices=devices))
    assert config.bill_validator is not None
    assert config.hopper is not None
    assert (config.hopper.port == config.bill_validator.port) == (devices in {"recycler", "mdb"})
    assert (config.hopper.protocol == "ssp") == (devices in {"essp", "recycler"})


def test_a_new_run_directory_has_a_short_path() -> None:
    """Sockets fit under it with room to spare, and two demos never share one."""
    first, second = RunDirectory.made(None), RunDirectory.made(None)
    assert first.path != second.path
    assert len(str(first.hardware_socket)) < 50
    for run in (first, second):
        run.path.rmdir()


@pytest.mark.parametrize("first", [0, 95])
def test_the_chosen_seed_makes_a_story(first: int) -> None:
    """With it the production play brings a win, a paying round after it, and then a feature of bearable length."""
    game = load_game("neptune")
    stake = Stake(lines=game.line_counts[-1], coins_per_line=game.coins_per_line[0])
    story = find_story(game, stake, first)
    played = list(islice(outcomes(game, stake, seeded_source(story.seed), first), story.feature + 1))
    assert played[story.win].win_cents > stake.coins
    assert played[story.win + 1].win_cents > 0
    assert [number for number, outcome in enumerate(played) if outcome.offers] == [story.feature]
    assert story.win + 1 < story.feature <= 8


def looks(books: Books) -> list[object]:
    return [
        books.credit_cents,
        books.last_round,
        books.rounds_played,
        books.last_note,
        books.last_payout,
        books.open_items,
    ]


def test_books_that_are_not_there_yet_are_empty(tmp_path: Path) -> None:
    """Before the supervisor has made its journal, and before its tables are there, nothing is in it."""
    path = tmp_path / "journal.sqlite"
    assert looks(Books(path)) == [0, None, 0, None, None, 0]
    sqlite3.connect(path).close()
    assert looks(Books(path)) == [0, None, 0, None, None, 0]


def test_the_books_are_read_while_they_are_written(tmp_path: Path) -> None:
    """Credit, note and round are seen as soon as their transaction is durable, and reading changes no file."""
    path = tmp_path / "journal.sqlite"
    migrate(path, simulated=True)
    store = Store(path, lambda: 1, simulated=True)
    books = Books(path)
    wager = rounds.Wager(game="neptune", maths_version=1, maths_hash="x", bet=Bet(15, 1, 10))
    segment = rounds.Segment(answer=None, draws=((3, 1),), steps=(b"{}",), win_cents=40)
    acts: list[Callable[[], object]] = [
        lambda: store.transact(lambda tx: money.note_stacking(tx, 2000)),
        lambda: store.transact(lambda tx: money.note_stacked(tx, 2000)),
        lambda: store.transact(lambda tx: rounds.begin(tx, wager, "null", segment)),
    ]
    seen = []
    for act in acts:
        act()
        seen.append((books.credit_cents, books.last_note, books.last_round))
    store.close()
    assert seen == [
        (0, (2000, "stacking"), None),
        (2000, (2000, "credited"), None),
        (
            1890,
            (2000, "credited"),
            RoundInBooks(id=1, state="open", stake_cents=150, win_cents=40, segments=1),
        ),
    ]
    assert books.last_payout is None


def test_a_demo_without_baked_art_says_what_to_do(tmp_path: Path) -> None:
    """Nothing is started, and the mend is named."""
    result = CliRunner().invoke(main, ["demo", "--headless", "--baked", str(tmp_path / "none")])
    assert result.exit_code == 1
    assert "run `cabinet bake` first" in result.output


def test_a_run_directory_with_too_long_a_path_is_refused(tmp_path: Path) -> None:
    """Sockets would not fit: reported before anything starts."""
    result = CliRunner().invoke(
        main, ["demo", "--headless", "--baked", str(tmp_path), "--run", str(tmp_path / ("x" * 100))]
    )
    assert result.exit_code == 1
    assert "cabinet.run_dir" in result.output
    assert "name another directory with --run" in result.output
