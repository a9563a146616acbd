"""What hosts by other authors say to a device, played against a simulated one (`tests/rigs/vectors/hosts_*.tsv`).

Nothing of the drivers is used: the requests are what those hosts send, the answers what the specifications give them.
"""

import asyncio
from fnmatch import fnmatchcase
from typing import NamedTuple, Protocol

from tests.rigs.vectors import vectors

_POLLS = 400
_WHOLE = 6


class Step(NamedTuple):
    """A line of a dialogue: `what` is done, with what, and the answer.

    In an answer `??` is any byte, `[14]0` one of two, `*` any rest; ` | ` stands between two that both are right.
    """

    what: str
    said: str
    answer: str
    meaning: str

    def answered(self, heard: str) -> bool:
        """Whether that is an answer to it."""
        return any(fnmatchcase(heard, answer) for answer in self.answer.split(" | "))


class Peer(Protocol):
    """A device, and what a host, a hand and a cash box do with it."""

    async def ask(self, said: str) -> str:
        """Send a request; return its answer without what only frames it, empty for none."""

    def hand(self, act: str, what: str) -> None:
        """Put a coin or a note in, or do what else a hand does."""

    def fact(self, name: str) -> str:
        """What became of it."""


def hosts(name: str) -> list[tuple[str, str]]:
    """Every host in a file, with each device that it is played against."""
    return list(dict.fromkeys((row[0], row[1]) for row in vectors(name)))


def steps(name: str, host: str, device: str) -> list[Step]:
    """The dialogue of a host with a device."""
    return [Step(*(row + [""] * _WHOLE)[2:_WHOLE]) for row in vectors(name) if (row[0], row[1]) == (host, device)]


async def play(dialogue: list[Step], peer: Peer) -> None:
    """Say what the host says, and assert each answer and each end."""
    for step in dialogue:
        await _play(step, peer)


async def _play(step: Step, peer: Peer) -> None:
    match step.what:
        case "ask":
            heard = await peer.ask(step.said)
            assert step.answered(heard), f"{heard!r} to {step}"
        case "until":
            heard = ""
            for _ in range(_POLLS):
                heard = await peer.ask(step.said)
                if step.answered(heard):
                    return
            raise AssertionError(f"{heard!r} at last to {step}")
        case "wait":
            await asyncio.sleep(float(step.said))
        case "hand":
            peer.hand(*step.said.split())
        case "end":
            found = peer.fact(step.said)
            assert found == step.answer, f"{step.said}: {found!r}, not {step.answer!r}"
        case _:
            raise AssertionError(step)
