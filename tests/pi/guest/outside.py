"""Within the emulated machine, as root: drives and reads each line of the header through gpio-sim's sysfs.

`python3 outside.py CABINET_TOML SIM COMMAND...` starts COMMAND (inside.py), pulls each input low and high, sends a
bouncing contact, holds a button until it is stuck, has each output lit alone and each hard meter pulsed, and prints all
that it has measured as one JSON object. Times are monotonic seconds. It needs nothing but the standard library.
"""

import json
import subprocess
import sys
import threading
import time
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

BOUNCES, PULSES = 9, 3
STUCK = "auto"
QUIET_S, ANSWER_S, STUCK_S, READY_S = 0.3, 300.0, 600.0, 1800.0


class Line:
    """One line of the chip, from its far side."""

    def __init__(self, sim: Path, pin: int) -> None:
        self._pull = sim / f"sim_gpio{pin}" / "pull"
        self._value = sim / f"sim_gpio{pin}" / "value"
        self._open = self._value.open("rb", buffering=0)

    def pull(self, *, high: bool) -> float:
        """Pull the line; return when that began."""
        began = time.monotonic()
        self._pull.write_text("pull-up" if high else "pull-down", encoding="ascii")
        return began

    @property
    def value(self) -> bool:
        """The line's level."""
        self._open.seek(0)
        return self._open.read().strip() == b"1"


class Inside:
    """The drivers' process: what it says, and words to it."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._stdin = self.process.stdin
        self.said: list[dict[str, Any]] = []
        threading.Thread(target=self._listen, args=(self.process.stdout,), daemon=True).start()

    def _listen(self, stdout: IO[str]) -> None:
        for line in stdout:
            self.said.append(json.loads(line))

    def wait(self, since: int, holds: Callable[[Mapping[str, Any]], bool], seconds: float = ANSWER_S) -> dict[str, Any]:
        """Return what it said from number `since` on that `holds`; raise `TimeoutError`."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            for fact in self.said[since:]:
                if holds(fact):
                    return fact
            if self.process.poll() is not None:
                raise RuntimeError(f"the drivers ended with {self.process.returncode}")
            time.sleep(0.005)
        raise TimeoutError(f"not within {seconds} s; said since: {self.said[since:]}")

    def tell(self, words: str) -> None:
        """Say `words`."""
        self._stdin.write(f"{words}\n")
        self._stdin.flush()

    def ask(self, words: str) -> None:
        """Say `words` and wait until they are done."""
        since = len(self.said)
        self.tell(words)
        self.wait(since, lambda fact: fact.get("done") == words.split())


def edges(inside: Inside, since: int) -> list[dict[str, Any]]:
    """Return the settled edges from number `since` on."""
    return [fact for fact in inside.said[since:] if "edge" in fact]


def moved(inside: Inside, name: str, line: Line) -> dict[str, Any]:
    """Pull a line low and high; return both latencies in ms and all edges of any line meanwhile."""
    since, latency = len(inside.said), []
    for high in (False, True):
        at = len(inside.said)
        pulled = line.pull(high=high)
        seen = inside.wait(at, lambda fact: fact.get("edge") == name)
        latency.append(round((seen["at"] - pulled) * 1000, 2))
        time.sleep(QUIET_S)
    return {"ms": latency, "edges": [[fact["edge"], fact["active"]] for fact in edges(inside, since)]}


def bounced(inside: Inside, name: str, line: Line) -> list[dict[str, Any]]:
    """Let a contact bounce into and out of closure; return how long, and the edges that were reported."""
    found = []
    for last in (False, True):
        since, began = len(inside.said), time.monotonic()
        for number in range(BOUNCES):
            ended = line.pull(high=(number % 2 == 0) is last)
        inside.wait(since, lambda fact: fact.get("edge") == name)
        time.sleep(QUIET_S)
        found.append(
            {"ms": round((ended - began) * 1000, 2), "edges": [fact["active"] for fact in edges(inside, since)]}
        )
    return found


def stuck(inside: Inside, line: Line) -> list[dict[str, Any]]:
    """Hold a button until its fault comes, let go until it goes; return both."""
    found = []
    for high in (False, True):
        since = len(inside.said)
        pulled = line.pull(high=high)
        fact = inside.wait(since, lambda fact: fact.get("fault") == "stuck_button", STUCK_S)
        found.append({**fact, "after_s": round(fact["now"] - pulled, 2)})
    return found


def lit(inside: Inside, words: str, lines: Mapping[int, Line]) -> list[int]:
    """Have one output driven alone; return the pins that are high."""
    inside.ask(words)
    time.sleep(QUIET_S)
    return [pin for pin, line in lines.items() if line.value]


def pulsed(inside: Inside, meter: str, line: Line) -> dict[str, Any]:
    """Have a meter pulsed; return the times of the line's changes, and the longest time between two looks at it, in ms.

    The first change is at 0. A pulse shorter than that longest time may have gone unseen.
    """
    since, changes, level = len(inside.said), [], False
    longest, looked = 0.0, time.monotonic()
    inside.tell(f"pulse {meter} {PULSES}")
    deadline = time.monotonic() + ANSWER_S
    while time.monotonic() < deadline:
        value, now = line.value, time.monotonic()
        longest, looked = max(longest, now - looked), now
        if value is not level:
            level = value
            changes.append(now)
        elif any("done" in fact for fact in inside.said[since:]):
            break
    return {
        "changes_ms": [round((at - changes[0]) * 1000, 2) for at in changes],
        "longest_look_ms": round(longest * 1000, 2),
    }


def main(configuration: Path, sim: Path, command: list[str]) -> dict[str, Any]:
    """Do all of it; return what was measured."""
    pins = tomllib.loads(configuration.read_text(encoding="utf-8"))["pins"]
    inputs = {f"{kind}.{name}": one["pin"] for kind in ("buttons", "doors", "keys") for name, one in pins[kind].items()}
    outputs = {
        **{f"lamps {name}": one["lamp"] for name, one in pins["buttons"].items()},
        **{f"tower {name}": one["pin"] for name, one in pins["tower"].items()},
    }
    meters = {name: one["pin"] for name, one in pins["meters"].items()}
    lines = {pin: Line(sim, pin) for pin in (*inputs.values(), *outputs.values(), *meters.values())}
    inside = Inside(command)
    inside.wait(0, lambda fact: "ready" in fact, READY_S)
    driven = {pin: lines[pin] for pin in (*outputs.values(), *meters.values())}
    found: dict[str, Any] = {
        "idle": {pin: line.value for pin, line in lines.items()},
        "inputs": {name: {"pin": pin, **moved(inside, name, lines[pin])} for name, pin in inputs.items()},
        "bounce": bounced(inside, "buttons.spin", lines[inputs["buttons.spin"]]),
        "outputs": {},
        "meters": {},
    }
    for words, pin in outputs.items():
        found["outputs"][words] = {"pin": pin, "high": lit(inside, words, driven)}
        inside.ask(f"{words.split()[0]} none")
    for meter, pin in meters.items():
        found["meters"][meter] = {"pin": pin, **pulsed(inside, meter, lines[pin])}
    found["stuck"] = stuck(inside, lines[inputs[f"buttons.{STUCK}"]])
    inside.tell("end")
    inside.process.wait(60.0)
    found["after"] = [pin for pin, line in driven.items() if line.value]
    found["said"] = inside.said
    return found


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])))
