"""Faults injected into the frames that a line carries.

A frame is one write of the host or one `send` of the device; on a pty, one chunk as the kernel hands it over.
"""

import random
from collections import deque
from enum import StrEnum
from typing import NamedTuple

LONGEST_NOISE = 16


class Kind(StrEnum):
    """A kind of line fault."""

    DROP = "drop"
    CORRUPT = "corrupt"
    DELAY = "delay"
    REPEAT = "repeat"
    CUT = "cut"
    NOISE = "noise"


class Way(StrEnum):
    """The direction of the frames that a fault applies to."""

    TO_HOST = "to_host"
    TO_DEVICE = "to_device"


class Piece(NamedTuple):
    """Bytes to pass on `delay_s` seconds after the frame was sent."""

    delay_s: float
    data: bytes


class Misbehaviour:
    """Queued faults for the next frames of each direction, applied in order; without any, frames pass unchanged.

    A kind with a rate applies with that probability to each frame that has no queued fault.
    `CORRUPT` flips one bit, `CUT` loses the end of the frame, `NOISE` puts random bytes before and after it,
    `DELAY` holds it back for `delay_s` seconds.
    """

    def __init__(self, *, delay_s: float = 0.3, chance: random.Random | None = None) -> None:
        self.delay_s = delay_s
        # A fixed seed makes a failing test fail again. No game outcome is drawn here.
        self._chance = chance or random.Random(0)  # noqa: S311  (line noise, not an outcome)
        self._orders: dict[Way, deque[Kind]] = {way: deque() for way in Way}
        self._rates: dict[Way, dict[Kind, float]] = {way: {} for way in Way}

    def __repr__(self) -> str:
        pending = {str(way): [str(kind) for kind in orders] for way, orders in self._orders.items() if orders}
        return f"<Misbehaviour {pending or 'none'}>"

    def inject(self, kind: Kind, frames: int = 1, *, way: Way = Way.TO_HOST) -> None:
        """Queue `kind` for `frames` more frames in direction `way`; raise `ValueError` below one frame."""
        if frames < 1:
            raise ValueError(f"{frames} frames to {kind}: inject at least one")
        self._orders[way].extend([kind] * frames)

    def rate(self, kind: Kind, probability: float, *, way: Way = Way.TO_HOST) -> None:
        """Apply `kind` to each frame in direction `way` with `probability`; raise `ValueError` outside 0 to 1."""
        if not 0 <= probability <= 1:
            raise ValueError(f"{kind} with probability {probability}: give 0 to 1")
        self._rates[way][kind] = probability

    def forget(self) -> None:
        """Cancel all injected faults and rates."""
        for orders in self._orders.values():
            orders.clear()
        for rates in self._rates.values():
            rates.clear()

    def mangle(self, way: Way, frame: bytes) -> list[Piece]:
        """Apply one queued fault to `frame` and return the pieces to send."""
        orders = self._orders[way]
        kind = (orders.popleft() if orders else self._drawn(way)) if frame else None
        if kind is None:
            return [Piece(0.0, frame)]
        delay_s = self.delay_s if kind is Kind.DELAY else 0.0
        copies = {Kind.DROP: 0, Kind.REPEAT: 2}.get(kind, 1)
        return [Piece(delay_s, self._spoil(kind, frame))] * copies

    def _drawn(self, way: Way) -> Kind | None:
        rates = self._rates[way].items()
        return next((kind for kind, rate in rates if rate and self._chance.random() < rate), None)

    def _spoil(self, kind: Kind, frame: bytes) -> bytes:
        if kind is Kind.CORRUPT:
            spoilt = bytearray(frame)
            spoilt[self._chance.randrange(len(frame))] ^= 1 << self._chance.randrange(8)
            return bytes(spoilt)
        if kind is Kind.CUT:
            return frame[: self._chance.randrange(len(frame))]
        if kind is Kind.NOISE:
            return self._noise() + frame + self._noise()
        return frame

    def _noise(self) -> bytes:
        return self._chance.randbytes(self._chance.randint(1, LONGEST_NOISE))
