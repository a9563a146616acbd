"""What all tests share: how hypothesis judges them, and the proofs' own lines, printed at the end of their run."""

import pytest
from hypothesis import HealthCheck, settings

# Both of hypothesis' limits in time are the wall clock's, so that a busy machine fails tests which are right: the
# deadline of a case, and too_slow, the time that the first ten cases take to be drawn. Draws are kept cheap all the
# same, which `pytest --hypothesis-profile=draws --hypothesis-show-statistics` shows. No test suppresses another check.
settings.register_profile("draws", deadline=None)
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")


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
