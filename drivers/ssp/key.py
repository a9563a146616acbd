"""The fixed part of an eSSP key: its maker's, or the one of `cabinet.toml` (GA138, "Encryption Keys")."""

import re
from typing import Final

MAKERS_KEY: Final = 0x0123456701234567
"""What every device leaves the works with."""

_FIXED: Final = re.compile("[0-9a-fA-F]{16}")


class FixedKey:
    """The fixed half of an AES key; its value is in no `repr`, log or error."""

    def __init__(self, value: int = MAKERS_KEY) -> None:
        self._value = value

    def __repr__(self) -> str:
        return f"<FixedKey {'of its maker' if self.is_makers else '(hidden)'}>"

    @property
    def is_makers(self) -> bool:
        """Whether it is the one that everybody knows."""
        return self._value == MAKERS_KEY

    def joined(self, negotiated: int) -> bytes:
        """Return the 16 bytes of the AES key: this part, then the negotiated one, each low byte first."""
        return self._value.to_bytes(8, "little") + negotiated.to_bytes(8, "little")


def is_fixed_key(text: str) -> bool:
    """Return whether `text` is a fixed part: eight bytes as 16 hex digits, written like a number."""
    return _FIXED.fullmatch(text) is not None


def fixed_key(text: str) -> FixedKey:
    """Return the key that `cabinet.toml` has as `text`, the maker's where that is empty."""
    return FixedKey(int(text, 16)) if text else FixedKey()
