"""`[cards]`: staff cards for the attendant's and the technician's key (docs/service-menu.md)."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import msgspec

from controller.configuration.fields import Fields, Misfit, Problem
from controller.configuration.ports import plain
from controller.journal.actor import Role
from drivers.wiring import KEYS, Key

if TYPE_CHECKING:
    from controller.configuration.cabinet_toml import Config


class Cards(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[cards]`: the reader of staff cards, and what a card replaces once a key is turned."""

    reader: Literal["none", "wedge", "pcsc"] = "none"
    """`"wedge"` for a reader that types as a keyboard, `"pcsc"` ([install.md](install.md#card-readers)) or `"none"`."""
    device: str = ""
    """A wedge's path below `/dev/input/by-id`, or a part of a PC/SC reader's name; `""` for any PC/SC reader."""
    mode: Literal["instead", "with-pin"] = "with-pin"
    """`"with-pin"` needs card and PIN, and `doors.logic`; `"instead"` takes either
    ([security.md](security.md#staff-cards)).
    """
    keys: tuple[Key, ...] = KEYS
    """The key switches at which cards are taken; at the others the PIN is enough."""

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


def card_settings(config: "Config") -> Cards:
    """Return the configuration's `[cards]`."""
    return config.table("cards", Cards) or Cards()


def problems(fields: Fields) -> Iterator[Problem]:
    """Report a wedge without its device file, cards for nobody, and cards with PIN without a door as a fallback."""
    reader, device = fields.get("cards.reader", "none"), fields.get("cards.device", "")
    if reader == "wedge" and not device.startswith("/"):
        yield Problem("cards.device", "must name the wedge's input device: its path below /dev/input/by-id")
    elif reader == "wedge" and re.fullmatch(r"/dev/input/event\d+", plain(device)):
        mend = "its number changes with what else is plugged in; name its path below /dev/input/by-id"
        yield Problem("cards.device", f"is {device}: {mend}", Misfit.VALUE)
    if reader == "none" and device:
        yield Problem("cards.device", 'is set, and cards.reader is "none"; name the kind of reader, or take it out')
    if reader in ("wedge", "pcsc"):
        if not fields.get("cards.keys", KEYS):
            yield Problem("cards.keys", "is empty; name a key, or set cards.reader to none", Misfit.EMPTY_LIST)
        if fields.get("cards.mode", "with-pin") == "with-pin" and "pins.doors.logic.pin" not in fields:
            yield Problem(
                "cards.mode",
                "is with-pin, which needs the switch of the logic door: its opening is the way in after a lost card or"
                " reader; wire [pins.doors] logic, or set mode to instead",
            )
