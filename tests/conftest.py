"""What all tests share: virtual time, hypothesis' settings, and the proofs' lines at the end of their run."""

import functools
import gc
import inspect
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.rigs.postgres import PostgresServer, VenueDatabase
from tests.rigs.processor_limit import ProcessorLimit
from tests.rigs.run_report import RunReport
from tests.rigs.virtual_time import run_virtual

# Both of hypothesis' limits in time are the wall clock's, so that a busy machine fails tests which are right: the
# deadline of a case, and too_slow, the time that the first ten cases take to be drawn. Draws are kept cheap all the
# same, which `pytest --hypothesis-profile=draws --hypothesis-show-statistics` shows. No test suppresses another check.
settings.register_profile("draws", deadline=None)
_BUSY = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
# The suite tries the same cases each time, so that a change is judged by what it changed; the proofs look for new ones.
settings.register_profile("suite", _BUSY, derandomize=True)
settings.register_profile("proofs", _BUSY)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the limit of processor time for one test (tests/rigs/processor_limit.py)."""
    parser.addoption("--processor-limit", type=float, metavar="SECONDS", help="processor time that a test may use")


def pytest_configure(config: pytest.Config) -> None:
    """Choose hypothesis' profile, unless the command line names one, and the limit of processor time."""
    if not config.getoption("--hypothesis-profile"):
        settings.load_profile("proofs" if config.getoption("markexpr") == "proof" else "suite")
    if (limit_s := config.getoption("processor_limit")) is not None:
        config.pluginmanager.register(ProcessorLimit(limit_s))


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Report beside pytest's own reporter, which a worker has not."""
    terminal = session.config.pluginmanager.get_plugin("terminalreporter")
    if isinstance(terminal, pytest.TerminalReporter):
        session.config.pluginmanager.register(RunReport(terminal))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave all but each n-th case of a `sampled(n)` test to the proofs; results name the requirements of a test."""
    cases: Counter[str] = Counter()
    for item in items:
        for marker in item.iter_markers("requirement"):
            item.user_properties.extend(("requirement", number) for number in marker.args)
        if (sampled := item.get_closest_marker("sampled")) is not None:
            test = item.nodeid.partition("[")[0]
            if cases[test] % sampled.args[0]:
                item.add_marker(pytest.mark.proof)
            cases[test] += 1


def pytest_collection_finish() -> None:
    """Keep what was imported and collected out of the garbage collector, which else walks it all in every test."""
    gc.collect()
    gc.freeze()


def _on_virtual_time(test: Callable[..., Coroutine[object, object, None]]) -> Callable[..., None]:
    @functools.wraps(test)
    def run(*args: object, **kwargs: object) -> None:
        run_virtual(test(*args, **kwargs))

    return run


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> None:
    """Run an `async def` test on virtual time, and each case of one that hypothesis draws."""
    test = pyfuncitem.obj
    drawn = getattr(test, "hypothesis", None)
    if drawn is not None and inspect.iscoroutinefunction(drawn.inner_test):
        drawn.inner_test = _on_virtual_time(drawn.inner_test)
    elif inspect.iscoroutinefunction(test):
        pyfuncitem.obj = _on_virtual_time(test)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A running PostgreSQL, one for each worker; a test that stops or kills a server makes its own."""
    server = PostgresServer()
    try:
        server.start()
        yield server
    finally:
        server.close()


@pytest.fixture
def venue_database(postgres_server: PostgresServer) -> Iterator[VenueDatabase]:
    """A fresh database with the venue's schema, without cabinets and pools."""
    database = postgres_server.new_database()
    yield database
    database.drop()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what the slow proofs measured."""
    lines = [
        text
        for report in terminalreporter.getreports("passed")
        for name, text in report.user_properties
        if name == "proof" and report.when == "call"
    ]
    if lines:
        terminalreporter.section("proved")
        for line in lines:
            terminalreporter.line(str(line))
