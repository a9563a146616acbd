"""A process that is not there, and its readiness, for what starts and stops processes."""

import signal
import subprocess


class FakeProcess:
    """A process that ends when the test says so."""

    def __init__(self) -> None:
        self.code: int | None = None
        self.signals: list[str] = []

    def poll(self) -> int | None:
        """The exit code, if it has ended."""
        return self.code

    def kill(self) -> None:
        """SIGKILL."""
        self.signals.append("kill")
        self.code = -signal.SIGKILL

    def terminate(self) -> None:
        """SIGTERM."""
        self.signals.append("terminate")
        self.code = 0

    def wait(self, timeout: float | None = None) -> int:
        """The exit code; a process that goes on times out."""
        if self.code is None:
            raise subprocess.TimeoutExpired("fake", timeout or 0)
        return self.code


class FakeReadiness:
    """A process that reports that it is ready when the test says so."""

    address = "@fake"

    def __init__(self) -> None:
        self.reported = False

    def is_reported(self) -> bool:
        """Whether the test has said so since the last call."""
        reported, self.reported = self.reported, False
        return reported

    def close(self) -> None:
        """Nothing to close."""
