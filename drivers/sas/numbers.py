"""How SAS writes numbers: packed BCD, most significant byte first; binary, least significant byte first (sas.md §0)."""


def bcd(value: int, size: int) -> bytes:
    """Return `value` as `size` bytes of packed BCD; raise `ValueError` where it does not fit."""
    digits = f"{value:0{2 * size}d}"
    if value < 0 or len(digits) > 2 * size:
        raise ValueError(f"{value} does not fit into {2 * size} decimal digits")
    return bytes.fromhex(digits)


def rolled(value: int, size: int) -> bytes:
    """Return a meter as `size` bytes of packed BCD; it goes back to zero after 10^(2 size) - 1."""
    return bcd(value % 10 ** (2 * size), size)


def from_bcd(data: bytes) -> int:
    """Return what packed BCD says; raise `ValueError` for a digit above 9."""
    digits = data.hex()
    if not digits.isdecimal():
        raise ValueError(f"{data.hex(' ').upper()} is no BCD: a digit is above 9")
    return int(digits)


def text(value: str, size: int) -> bytes:
    """Return `size` bytes of ASCII, cut and filled up with spaces; a sign that ASCII lacks becomes `?`."""
    return value.encode("ascii", "replace")[:size].ljust(size)
