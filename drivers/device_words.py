"""What a device says of itself in letters: as a person can read it, and as every screen and every book can hold it."""


def readable(data: bytes) -> str:
    """Return ASCII text from a wire without its padding; what is no letter or sign becomes U+FFFD.

    Makers pad such texts with spaces and with zero bytes, and a line of text that holds a zero byte cannot be drawn.
    """
    words = data.decode("ascii", "replace").strip(" \0\r\n\t")
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in words)
