"""The emulated machine's monitor: qemu's QMP on a Unix socket, a JSON object a line (qemu, docs/interop/qmp-spec)."""

import itertools
import json
import socket
import time
from pathlib import Path
from typing import Any

_ANSWER_S = 300.0
_LOOK_S = 0.1


class QmpError(RuntimeError):
    """qemu refused a command, or is gone."""


class Qmp:
    """One connection; `events` are all that qemu has reported on it."""

    def __init__(self, path: Path) -> None:
        deadline = time.monotonic() + _ANSWER_S
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(_ANSWER_S)
        while self._socket.connect_ex(str(path)):
            if time.monotonic() > deadline:
                raise QmpError(f"{path}: nobody listens")
            time.sleep(_LOOK_S)
        self._lines = self._socket.makefile("r", encoding="utf-8")
        self.events: list[dict[str, Any]] = []
        self._jobs = itertools.count()
        self._read()
        self.do("qmp_capabilities")

    def close(self) -> None:
        """End the connection."""
        self._lines.close()
        self._socket.close()

    def do(self, command: str, **arguments: object) -> Any:
        """Return what a command returns; raise `QmpError` where qemu refuses it."""
        words = {"execute": command, "arguments": arguments} if arguments else {"execute": command}
        self._socket.sendall(json.dumps(words).encode() + b"\n")
        while True:
            answer = self._read()
            if "error" in answer:
                raise QmpError(f"{command}: {answer['error']['desc']}")
            if "return" in answer:
                return answer["return"]

    def job(self, command: str, seconds: float, **arguments: object) -> None:
        """Run a command that is a job to its end; raise `QmpError` where it fails or takes longer."""
        name = f"job-{next(self._jobs)}"
        self.do(command, **{"job-id": name}, **arguments)
        deadline = time.monotonic() + seconds
        while True:
            (job,) = (one for one in self.do("query-jobs") if one["id"] == name)
            if job["status"] == "concluded":
                break
            if time.monotonic() > deadline:
                raise QmpError(f"{command}: {job['status']} after {seconds:g} s")
            time.sleep(_LOOK_S)
        self.do("job-dismiss", id=name)
        if "error" in job:
            raise QmpError(f"{command}: {job['error']}")

    def count(self, event: str) -> int:
        """Return how often qemu has reported an event so far."""
        self.do("query-status")
        return sum(one["event"] == event for one in self.events)

    def _read(self) -> dict[str, Any]:
        line = self._lines.readline()
        if not line:
            raise QmpError("qemu is gone")
        answer: dict[str, Any] = json.loads(line)
        if "event" in answer:
            self.events.append(answer)
        return answer
