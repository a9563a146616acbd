"""Who acts on the cabinet: the key that is turned, and the person behind it where one proved to be there by a PIN."""

from enum import StrEnum
from typing import Any, NamedTuple


class Role(StrEnum):
    """Whose key is turned, and what a person may do; the technician may do all that the attendant may."""

    ATTENDANT = "attendant"
    TECHNICIAN = "technician"


class Actor(NamedTuple):
    """Whoever does something at the cabinet; `name` is empty where the key alone was enough, `person` 0 too.

    Of somebody who is known while the books are lost there is the name alone.
    """

    role: Role
    person: int = 0
    name: str = ""

    @property
    def words(self) -> str:
        """The name, or the key where there is none."""
        return self.name or str(self.role)

    @property
    def stamp(self) -> dict[str, Any]:
        """What each ledger row of an act says of who did it."""
        person = {"id": self.person} if self.person else {}
        return {"role": str(self.role), **person, **({"name": self.name} if self.name else {})}
