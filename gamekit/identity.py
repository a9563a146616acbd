"""The identity of a game's mathematics: a hash over all that decides what it pays."""

import hashlib
from collections.abc import Mapping

import msgspec


def canonical(parts: Mapping[str, object]) -> bytes:
    """Return `parts` as canonical JSON: keys sorted, no spaces."""
    return msgspec.json.encode(msgspec.to_builtins(parts, str_keys=True), order="sorted")


def maths_hash(**parts: object) -> str:
    """Return the SHA-256 (hexadecimal) of `parts` as canonical JSON."""
    return hashlib.sha256(canonical(parts)).hexdigest()
