"""Who acts on the cabinet and from where; the running task records this in the ledger rows that it writes."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from typing import Any, NamedTuple


class Role(StrEnum):
    """The key that is turned, which decides what a person may do; a technician may do all that an attendant may.

    `HOST` is the computer at a host port (`controller.features.sas`), which turns no key.
    """

    ATTENDANT = "attendant"
    TECHNICIAN = "technician"
    HOST = "host"


KEYS = (Role.ATTENDANT, Role.TECHNICIAN)
"""The roles that people have and that have a key."""


class Actor(NamedTuple):
    """Who does something at the cabinet; without a PIN, `name` is empty and `person` is 0.

    While the books are lost, a person has only a name.
    """

    role: Role
    person: int = 0
    name: str = ""

    @property
    def words(self) -> str:
        """The name, or the role if the name is empty."""
        return self.name or str(self.role)

    @property
    def stamp(self) -> dict[str, Any]:
        """The description of the actor that a ledger row stores."""
        person = {"id": self.person} if self.person else {}
        return {"role": str(self.role), **person, **({"name": self.name} if self.name else {})}


CONSOLE = "console"

ORIGIN: ContextVar[str] = ContextVar("ORIGIN", default="")
"""Where the running task's commands come from: `CONSOLE`, or empty for the cabinet's own keys and screen."""

BY: ContextVar[Actor | None] = ContextVar("BY", default=None)
"""Who the running task acts for; None for a player and for the cabinet itself."""


@contextmanager
def acting(by: Actor | None) -> Iterator[None]:
    """Act for `by` in the running task."""
    token = BY.set(by)
    try:
        yield
    finally:
        BY.reset(token)
