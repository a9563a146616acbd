"""A life as data: the cabinet's devices and the acts in it, drawn from a seed, written and read as text."""

from collections.abc import Sequence
from typing import Final, NamedTuple

RECYCLER: Final = "recycler"
PRINTER: Final = "printer"
VALIDATORS: Final = ("id003", "ssp", "ebds", "cctalk", "mdb", RECYCLER)
PAYERS: Final = ("cctalk", "smart_hopper", "mdb")
"""The payers beside a validator that does not pay: a recycler pays with its own notes.

Beside a validator that reads tickets, a printer may pay too.
"""


class Act(NamedTuple):
    """One act, `after_s` seconds after the one before it: its name and its words."""

    after_s: float
    name: str
    words: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join((f"{self.after_s:g}", self.name, *self.words))

    @classmethod
    def parse(cls, line: str) -> "Act":
        """Read an act from a line as `str` writes it; raise `ValueError` for a line without time and name."""
        after, name, *words = line.split()
        return cls(float(after), name, tuple(words))


class Life(NamedTuple):
    """One life: `validator` and `payer` name the devices, `commit_s` is how long a commit takes.

    `seed` is the one from which it was drawn, and `host` says whether a host polls at the host port.
    """

    seed: int
    validator: str
    payer: str
    commit_s: float
    host: bool
    acts: tuple[Act, ...]

    @property
    def mdb_coins(self) -> bool:
        """Whether a changer takes the coins: the one whose tubes pay."""
        return self.payer == "mdb"

    @property
    def text(self) -> str:
        """The life as a script that `Life.parse` reads."""
        head = f"cabinet {self.seed} {self.validator} {self.payer} {self.commit_s:g} {int(self.host)}"
        return "\n".join((head, *map(str, self.acts))) + "\n"

    @classmethod
    def parse(cls, text: str) -> "Life":
        """Read a script; raise `ValueError` for what is none."""
        head, *lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
        word, seed, validator, payer, commit_s, host = head.split()
        if word != "cabinet":
            raise ValueError(f"a script begins with 'cabinet', this one with '{word}'")
        acts = tuple(Act.parse(line) for line in lines)
        return cls(int(seed), validator, payer, float(commit_s), host == "1", acts)

    def only(self, acts: Sequence[Act]) -> "Life":
        """Return the same life with these acts alone."""
        return self._replace(acts=tuple(acts))
