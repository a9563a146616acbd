"""Clean text from devices for screens and books."""


def readable(data: bytes) -> str:
    """Decode ASCII text from a device without its padding; replace unprintable characters with U+FFFD.

    Makers pad such texts with spaces or zero bytes, and text with a zero byte cannot be drawn.
    """
    words = data.decode("ascii", "replace").strip(" \0\r\n\t")
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in words)
