"""What all tests share: the proofs' own lines, printed at the end of the run that made them."""

import pytest


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
