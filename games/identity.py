"""The identity of a game's mathematics: a hash over all that decides what it pays."""

import hashlib

import msgspec


def maths_hash(**parts: object) -> str:
    """Return the SHA-256 (hexadecimal) of `parts` as canonical JSON: keys sorted, no spaces."""
    plain = msgspec.to_builtins(parts, str_keys=True)
    return hashlib.sha256(msgspec.json.encode(plain, order="sorted")).hexdigest()
