"""`python -m tests.swarm.mutants`: plays lives against one-line faults in the code that moves money.

A mutant is killed by the first life that fails: the script in `kills` that killed it before, then those in `scripts`,
then short lives drawn from 1 on, all of cabinets that have the mutated device, and with the trouble that the table
names for it. It survives if none fails within its processor time. A life that kills must hold without the mutant.
"""

import argparse
import os
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from itertools import count
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from textwrap import indent
from types import CodeType, ModuleType
from typing import Final

import msgspec

from tests.swarm.mutant_table import TABLE, Placed, mutants
from tests.swarm.script import Life

HERE: Final = Path(__file__).parent
KILLS: Final = "kills"
"""The folder of scripts by the name of the mutant that each has killed, of lives that were drawn."""
HEAVY: Final = ("asyncio", "cryptography.hazmat.primitives.ciphers", "gpiozero", "numpy", "serial", "sqlite_utils")
"""Imported before the processes are forked: nothing of the project, which a mutant may change."""
LIFE_S: Final = 30
"""A life that needs more processor time does not end."""
STILL_S: Final = 300.0
"""The wall time after which a process that reports nothing waits for what never comes."""
MEMORY: Final = 3 << 30
FORK: Final = get_context("fork")


class Verdict(msgspec.Struct, frozen=True):
    """What became of a mutant: `killed`, `survived` or `error`, by which life and why, after how many lives."""

    end: str
    life: str = ""
    why: str = ""
    lives: int = 0
    seconds: float = 0.0
    script: str = ""


class _Loader(SourceFileLoader):
    """Compiles a mutant's source; nothing is cached."""

    def __init__(self, mutant: Placed) -> None:
        super().__init__(mutant.module, str(mutant.path))
        self._mutant = mutant

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002 - the base class's signature
        return compile(self._mutant.source, self.path, "exec")


class _Finder(MetaPathFinder):
    """Finds a mutant's module in place of the one in the tree."""

    def __init__(self, mutant: Placed) -> None:
        self._mutant = mutant

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 - the base class's signature
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        if fullname != self._mutant.module:
            return None
        return spec_from_file_location(fullname, self._mutant.path, loader=_Loader(self._mutant))


def main() -> int:
    """Judge the mutants of the table, and return 1 if one of them is in error."""
    parser = argparse.ArgumentParser(prog="python -m tests.swarm.mutants", description=__doc__)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=12.0, help="processor time for each mutant (12)")
    parser.add_argument("--only", default="", help="those whose name begins so, with the scripts of what kills them")
    parser.add_argument("--keep", action="store_true", help="write the shortest script of a drawn life that kills")
    parser.add_argument("--table", type=Path, default=TABLE, help="another table than the swarm's own")
    options = parser.parse_args()
    for name in HEAVY:
        import_module(name)
    chosen = [mutant for mutant in mutants(options.table) if mutant.name.startswith(options.only)]
    began, verdicts = time.monotonic(), []
    with ProcessPoolExecutor(options.processes, mp_context=FORK) as pool:
        for mutant, verdict in zip(chosen, pool.map(partial(judged, seconds=options.seconds), chosen), strict=True):
            verdicts.append(verdict)
            if options.keep and verdict.end == "killed" and verdict.life.isdecimal():
                _script(f"{KILLS}/{mutant.name}").write_text(verdict.script, encoding="utf-8")
            sys.stdout.write(_said(mutant, verdict, whole=bool(options.only)))
            sys.stdout.flush()
    ends = [verdict.end for verdict in verdicts]
    sys.stdout.write(
        f"{ends.count('killed')} of {len(ends)} killed, {ends.count('survived')} survived, {ends.count('error')} in "
        f"error; {sum(one.seconds for one in verdicts):.0f} s of processors in {time.monotonic() - began:.0f} s\n"
    )
    return int("error" in ends)


def _said(mutant: Placed, verdict: Verdict, *, whole: bool) -> str:
    """Return a line about a mutant, and what was wrong; `whole` adds the script of the life."""
    by = f" by {verdict.life}" if verdict.life else ""
    tried = f"{verdict.lives} lives, {verdict.seconds:.1f} s"
    why = f"    {verdict.why}\n" if verdict.why else ""
    script = indent(verdict.script, "    ") if whole else ""
    return f"{verdict.end}{by} ({tried}): {mutant.name}: {mutant.wrong}\n{why}{script}"


def judged(mutant: Placed, *, seconds: float) -> Verdict:
    """Play lives in a process of its own until one fails or the time is used up."""
    verdict = _apart(mutant, seconds)
    if verdict.end == "killed" and (wrong := _control().wrong(verdict.life, mutant)):
        return msgspec.structs.replace(verdict, end="error", why=f"this life fails without the mutant: {wrong}")
    return verdict


class _Control:
    """A process that lives lives without any mutant."""

    def __init__(self) -> None:
        self._here, there = FORK.Pipe()
        FORK.Process(target=_live_unchanged, args=(there,), daemon=True).start()

    def wrong(self, name: str, mutant: Placed) -> str:
        """Return what is wrong in a life, or an empty string."""
        self._here.send((name, mutant))
        return str(self._here.recv())


@cache
def _control() -> _Control:
    return _Control()


def _live_unchanged(tell: Connection) -> None:
    living = _living()
    while True:
        name, mutant = tell.recv()
        tell.send(living.lived(_life(name, mutant)).wrong)


def _living() -> ModuleType:
    """Import what lives lives, in silence."""
    sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - for the rest of the process
    return import_module("tests.swarm.living")


def _apart(mutant: Placed, seconds: float) -> Verdict:
    """Play in a child process, which has none of the project's modules that the mutant changes."""
    here, there = FORK.Pipe(duplex=False)
    child = FORK.Process(target=_play, args=(there, mutant, seconds))
    child.start()
    there.close()
    begun: list[str] = []
    try:
        while here.poll(STILL_S):
            said = here.recv()
            if isinstance(said, Verdict):
                return said
            begun.append(said)
        why = f"it waits for ever: nothing was reported for {STILL_S:.0f} s"
    except EOFError:
        why = f"it does not end within {LIFE_S} s of processor time, or ended its process"
    finally:
        child.kill()
        child.join()
    return Verdict("killed" if begun else "error", begun[-1] if begun else "", why, len(begun), seconds)


def _play(tell: Connection, mutant: Placed, seconds: float) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        _import_changed(mutant)
        living = _living()
    except Exception as error:  # noqa: BLE001 - whatever it is, the table is wrong
        tell.send(Verdict("error", why=f"it cannot be imported: {type(error).__name__}: {error}"))
        return
    lives = 0
    for name in _names(mutant):
        life = _life(name, mutant)
        if time.process_time() > seconds:
            break
        lives += 1
        tell.send(name)
        resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + LIFE_S, resource.RLIM_INFINITY))
        outcome = living.lived(life)
        if outcome.wrong:
            seconds, why = time.process_time(), " ".join(outcome.wrong.split())
            resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            shortest = import_module("tests.swarm.shrinking").shrunk(outcome).life if name.isdecimal() else life
            tell.send(Verdict("killed", name, why, lives, seconds, shortest.text))
            return
    tell.send(Verdict("survived", lives=lives, seconds=time.process_time()))


def _import_changed(mutant: Placed) -> None:
    if mutant.module in sys.modules:
        raise ImportError(f"{mutant.module} was imported before the processes were forked")
    sys.meta_path.insert(0, _Finder(mutant))
    import_module(mutant.module)


def _names(mutant: Placed) -> Iterator[str]:
    """Return the names of the scripts that concern the mutant, its own first, then the numbers of all short lives."""
    own = f"{KILLS}/{mutant.name}"
    if _script(own).exists():
        yield own
    scripts = sorted(f"scripts/{script.stem}" for script in (HERE / "scripts").glob("*.txt"))
    yield from (name for name in scripts if mutant.concerns(_life(name, mutant)))
    yield from map(str, count(1))


def _script(name: str) -> Path:
    return HERE / f"{name}.txt"


def _life(name: str, mutant: Placed) -> Life:
    """Return the life of that script, or the short life of that number near the mutant's devices."""
    if name.isdecimal():
        near = import_module("tests.swarm.living").life_near
        life: Life = near(int(name), mutant.cabinets, mutant.parts, mutant.troubles)
        return life
    return Life.parse(_script(name).read_text(encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(main())
