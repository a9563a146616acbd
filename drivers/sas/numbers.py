"""Number formats of SAS: packed BCD is big-endian, binary is little-endian (sas.md §0)."""


def bcd(value: int, size: int) -> bytes:
    """Return `value` as `size` bytes of packed BCD; raise `ValueError` if it does not fit."""
    digits = f"{value:0{2 * size}d}"
    if value < 0 or len(digits) > 2 * size:
        raise ValueError(f"{value} does not fit into {2 * size} decimal digits")
    return bytes.fromhex(digits)


def rolled(value: int, size: int) -> bytes:
    """Return a meter as `size` bytes of packed BCD; it wraps to zero after 10^(2 size) - 1."""
    return bcd(value % 10 ** (2 * size), size)


def from_bcd(data: bytes) -> int:
    """Decode packed BCD; raise `ValueError` for a digit above 9."""
    digits = data.hex()
    if not digits.isdecimal():
        raise ValueError(f"{data.hex(' ').upper()} is no BCD: a digit is above 9")
    return int(digits)


def text(value: str, size: int) -> bytes:
    """Return `size` bytes of ASCII, truncated or padded with spaces; a non-ASCII character becomes `?`."""
    return value.encode("ascii", "replace")[:size].ljust(size)
