"""The fixed half of an eSSP key: the maker's default or the one in `cabinet.toml` (GA138, "Encryption Keys")."""

import re
from typing import Final

MAKERS_KEY: Final = 0x0123456701234567
"""The factory default of every device."""

_FIXED: Final = re.compile("[0-9a-fA-F]{16}")


class FixedKey:
    """The fixed half of an AES key; no `repr`, log or error shows its value."""

    def __init__(self, value: int = MAKERS_KEY) -> None:
        self._value = value

    def __repr__(self) -> str:
        return f"<FixedKey {'of its maker' if self.is_makers else '(hidden)'}>"

    @property
    def is_makers(self) -> bool:
        """Whether it is the publicly known default."""
        return self._value == MAKERS_KEY

    def joined(self, negotiated: int) -> bytes:
        """Return the 16 bytes of the AES key: this half, then the negotiated half, each little-endian."""
        return self._value.to_bytes(8, "little") + negotiated.to_bytes(8, "little")


def is_fixed_key(text: str) -> bool:
    """Return whether `text` is a fixed key: 16 hex digits, written like a number."""
    return _FIXED.fullmatch(text) is not None


def fixed_key(text: str) -> FixedKey:
    """Return the fixed key for the setting `text` of `cabinet.toml`, the maker's default if it is empty."""
    return FixedKey(int(text, 16)) if text else FixedKey()
