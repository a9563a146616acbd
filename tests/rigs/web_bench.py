"""The bench's page, served by its real process, and a viewer over a real WebSocket."""

import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from websockets.sync.client import connect

from drivers.simulated.bench.web.messages import HEAD
from tests.rigs.patience import PATIENCE_S, until


class WebViewer:
    """A viewer that keeps what it has been shown; `shows` says whether it confirms pictures as a browser does."""

    def __init__(self, url: str, *, shows: bool = True) -> None:
        self.layout: dict[str, Any] = {}
        self.looks: dict[str, Any] = {}
        self.wheels: dict[str, Any] = {}
        self.facts: dict[str, Any] = {}
        self.refusals: list[str] = []
        self.pictures: list[bytes] = []
        self._shows = shows
        self._stack = ExitStack()
        self._socket = self._stack.enter_context(
            connect(f"{url.replace('http', 'ws', 1)}socket", max_size=None, proxy=None)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave, as a closed tab does; may be called twice."""
        self._stack.close()

    def say(self, text: str) -> None:
        """Send a text as it is."""
        self._socket.send(text)

    def send(self, kind: str, **fields: object) -> None:
        """Send a message."""
        self.say(json.dumps({"type": kind, **fields}))

    def tap(self, control: str) -> None:
        """Touch a control and lift at once."""
        self.send("grasp", finger="one", control=control)
        self.send("let_go", finger="one")

    def until(self, holds: Callable[[], bool]) -> None:
        """Receive until that is so."""
        while not holds():
            self.receive()

    def refused(self) -> str:
        """Return the next refusal."""
        self.until(lambda: bool(self.refusals))
        return self.refusals.pop(0)

    def receive(self) -> None:
        """Receive one message; raises `websockets.ConnectionClosed`, or `TimeoutError` when none comes."""
        message = self._socket.recv(timeout=PATIENCE_S)
        if isinstance(message, bytes):
            self.pictures.append(message[HEAD.size :])
            if self._shows:
                self.send("shown", number=HEAD.unpack_from(message)[0])
            return
        said = json.loads(message)
        if said["type"] == "layout":
            self.layout = said
        elif said["type"] == "refusal":
            self.refusals.append(said["text"])
        else:
            self.looks |= said.get("looks", {})
            self.wheels |= said.get("wheels", {})
            self.facts |= said.get("facts", {})


class WebBench:
    """`python -m drivers.simulated.bench.web` on a run directory while the context lasts; `url` is its address."""

    def __init__(self, run: Path, baked: Path, *options: object) -> None:
        self._run = run
        self._command = [sys.executable, "-m", "drivers.simulated.bench.web", "--run", run, "--baked", baked, *options]
        self.url = ""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(list(map(str, self._command)), stderr=subprocess.PIPE, text=True)
        address = self._run / "bench.url"
        until(lambda: address.exists() or self._process.poll() is not None)
        assert self._process.poll() is None, self._process.communicate()[1]
        self.url = address.read_text("ascii").strip()
        return self

    def __exit__(self, *_error: object) -> None:
        self.end()

    def end(self) -> tuple[int, str]:
        """End it; return its exit code and what it has written on its standard error."""
        self._process.terminate()
        _, errors = self._process.communicate(timeout=PATIENCE_S)
        return self._process.returncode, errors
