"""The devices' process: `python -m drivers.simulated --config cabinet.toml --run DIR [--state FILE] [--fault WORDS]`.

Opens `pins.sock`, the serial lines `tty-coin`, `tty-bill`, `tty-hopper` and `tty-printer`, and finally `hardware.sock`
in DIR: once that file exists, all the others do. Pictures of the printed tickets are written to DIR/tickets. Ends on
SIGTERM or SIGINT. With `--state` the hard meters, the hopper's coins, the notes in the stacker and the tickets in the
tray outlive the process. `--fault "coin crc16"` starts with that fault, as if a client had sent `fault coin crc16`.
Exit codes: 0 ended, 1 cannot start (the reason on standard error), 2 wrong usage.
"""

import argparse
import asyncio
import signal
import sys
from codecs import BOM_UTF8
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any

import msgspec

from drivers.clock import LoopClock
from drivers.simulated.acts import Acts
from drivers.simulated.cabinet import SimulatedCabinet
from drivers.simulated.hardware import HardwareServer
from drivers.simulated.memory import Memory
from drivers.wiring import Money, Wiring

HARDWARE_SOCKET = "hardware.sock"


class StartError(Exception):
    """The devices cannot start; the message names the file and how to fix it."""


class Site(msgspec.Struct, frozen=True):
    """The keys of `[cabinet]` that the devices need."""

    money: Money = Money()


class Configuration(Wiring, frozen=True, kw_only=True):
    """The parts of a `cabinet.toml` that the devices need."""

    cabinet: Site = Site()


def read_configuration(path: Path) -> Configuration:
    """Read wiring and currency out of a `cabinet.toml`; raise `StartError` naming file and key."""
    try:
        return msgspec.toml.decode(path.read_bytes().removeprefix(BOM_UTF8), type=Configuration)
    except OSError as error:
        raise StartError(f"{path}: {error.strerror}; name a cabinet.toml with --config") from error
    except ValueError as error:
        raise StartError(f"{path}: {error}; `cabinet check-config {path}` says more") from error


def read_memory(path: Path | None) -> Memory:
    """Read the saved memory, or return a new cabinet's if there is no file; raise `StartError`."""
    if path is None or not path.exists():
        return Memory()
    try:
        return msgspec.json.decode(path.read_bytes(), type=Memory)
    except (OSError, msgspec.DecodeError) as error:
        raise StartError(f"{path}: {error}; delete it to begin with a new cabinet") from error


def write_memory(path: Path, memory: Memory) -> None:
    """Replace the file atomically."""
    fresh = path.with_name(f"{path.name}.new")
    fresh.write_bytes(msgspec.json.encode(memory))
    fresh.replace(path)


async def serve(configuration: Configuration, run: Path, state: Path | None, faults: Sequence[str] = ()) -> None:
    """Run the cabinet's devices, with `faults` active from the start, until a signal ends them.

    Raise `StartError` or `OSError` if they cannot start.
    """
    clock = LoopClock()
    kept = read_memory(state)

    def changed() -> None:
        nonlocal kept
        server.changed()
        if state is not None and (memory := cabinet.memory()) != kept:
            kept = memory
            write_memory(state, memory)

    tender = configuration.cabinet.money.tender
    cabinet = SimulatedCabinet(configuration, run, clock, memory=kept, on_change=changed, currency=tender)
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[None] = loop.create_future()

    def end() -> None:
        if not ended.done():
            ended.set_result(None)

    def watch(task: asyncio.Task[None]) -> None:
        # a bug in serving one client ends the process with its traceback
        if not task.cancelled() and (error := task.exception()) is not None and not ended.done():
            ended.set_exception(error)

    def spawn(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = loop.create_task(work)
        task.add_done_callback(watch)
        return task

    acts = Acts(cabinet, clock)
    server = HardwareServer(run / HARDWARE_SOCKET, do=acts.do, front=cabinet.front, spawn=spawn, faults=cabinet.faults)
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, end)
    try:
        cabinet.open()
        for fault in faults:
            await _begin(acts, fault)
        server.open()
        await ended
    finally:
        server.close()
        cabinet.close()


async def _begin(acts: Acts, fault: str) -> None:
    try:
        await acts.do(f"fault {fault}")
    except ValueError as error:
        raise StartError(f"--fault {fault!r}: {error}") from error


def main() -> int:
    """Read the command line and serve."""
    parser = argparse.ArgumentParser(prog="python -m drivers.simulated", description="The simulated devices.")
    parser.add_argument("--config", type=Path, required=True, help="the cabinet.toml that says how all is wired")
    parser.add_argument("--run", type=Path, required=True, help="the directory for sockets and terminals")
    parser.add_argument("--state", type=Path, help="the file that keeps meters, hopper and stacker")
    parser.add_argument("--fault", action="append", default=[], help="what is wrong or set otherwise: `coin crc16`")
    options = parser.parse_args()
    try:
        asyncio.run(serve(read_configuration(options.config), options.run, options.state, options.fault))
    except (StartError, OSError) as error:
        sys.stderr.write(f"{parser.prog}: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
