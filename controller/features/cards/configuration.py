"""`[cards]`: staff cards for the attendant's and the technician's key (docs/service-menu.md)."""

from typing import Literal

import msgspec

from controller.journal.actor import Role
from drivers.wiring import KEYS, Key


class Cards(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The reader of staff cards, and what a card replaces once a key is turned.

    `reader` is a keyboard wedge (`wedge`) at the input device `device`, or a PC/SC reader (`pcsc`) whose name contains
    `device`, any reader if that is empty. In the mode `instead` a card replaces the PIN, which may still be typed. In
    `with-pin` both are needed, and the PIN alone is enough only while the logic door is open. `keys` are the switches
    that accept cards; the others ask only for the PIN.
    """

    reader: Literal["none", "wedge", "pcsc"] = "none"
    device: str = ""
    mode: Literal["instead", "with-pin"] = "with-pin"
    keys: tuple[Key, ...] = KEYS

    @property
    def fitted(self) -> bool:
        """Whether there is a reader."""
        return self.reader != "none"

    def taken_at(self, key: Role) -> bool:
        """Whether cards are accepted while that key is turned."""
        return self.fitted and key in self.keys

    def needed_at(self, key: Role) -> bool:
        """Whether a PIN alone is not enough at that key."""
        return self.taken_at(key) and self.mode == "with-pin"
