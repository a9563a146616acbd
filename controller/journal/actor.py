"""Who acts on the cabinet: the key that is turned, and the person, where a PIN has proved one."""

from enum import StrEnum
from typing import Any, NamedTuple


class Role(StrEnum):
    """The key that is turned, and what a person may do; a technician may do all that an attendant may."""

    ATTENDANT = "attendant"
    TECHNICIAN = "technician"


class Actor(NamedTuple):
    """Who does something at the cabinet; without a PIN `name` is empty and `person` 0.

    While the books are lost a person has a name only.
    """

    role: Role
    person: int = 0
    name: str = ""

    @property
    def words(self) -> str:
        """The name, or the key where it is empty."""
        return self.name or str(self.role)

    @property
    def stamp(self) -> dict[str, Any]:
        """What a ledger row records of who did it."""
        person = {"id": self.person} if self.person else {}
        return {"role": str(self.role), **person, **({"name": self.name} if self.name else {})}
