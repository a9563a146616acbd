"""The printer's conditions as bits on the wire (Epson: DLE EOT, GS a, GS r)."""

import msgspec

XON, XOFF = b"\x11", b"\x13"
BLOCK_HEADER = 0x37
"""The first byte of a response that ends with NUL; the second names what it answers."""
PROCESS_ID, BUFFERS_CLEARED = 0x22, 0x25
INFORMATION_HEADER = 0x5F

ASB_DRAWER, ASB_ONLINE, ASB_ERROR, ASB_PAPER, ASB_PANEL = 0x01, 0x02, 0x04, 0x08, 0x40
"""The bits of GS a: the conditions whose changes are reported."""

_REPORTED_BY = {
    ASB_DRAWER: b"\x04\x00\x00\x00",
    ASB_ONLINE: b"\x28\x00\x00\x00",
    ASB_ERROR: b"\x00\x6c\x00\x00",
    ASB_PAPER: b"\x00\x00\x0f\x00",
    ASB_PANEL: b"\x40\x00\x00\x00",
}


class Conditions(msgspec.Struct, frozen=True, kw_only=True):
    """The conditions that a printer reports.

    `recoverable`: a paper jam, until DLE ENQ;
    `cutter`: the cutter is jammed, likewise; `unrecoverable`: until it is repaired; `passing`: head too hot, or cover
    opened while it printed, until that is over.
    """

    cover_open: bool = False
    feed_button: bool = False
    paper_end: bool = False
    near_end: bool = False
    recoverable: bool = False
    cutter: bool = False
    unrecoverable: bool = False
    passing: bool = False
    drawer_open: bool = False

    @property
    def error(self) -> bool:
        """Whether any error has occurred."""
        return self.recoverable or self.cutter or self.unrecoverable or self.passing

    @property
    def offline(self) -> bool:
        """Whether the printer is offline."""
        return self.cover_open or self.feed_button or self.paper_end or self.error


def _bits(base: int, *bits: tuple[bool, int]) -> int:
    return base | sum(value for on, value in bits if on)


def real_time(n: int, now: Conditions) -> bytes:
    """Return the byte that DLE EOT `n` requests, 0xx1xx10."""
    fixed = 0x12
    answers = {
        1: _bits(fixed, (now.drawer_open, 0x04), (now.offline, 0x08), (now.feed_button, 0x40)),
        2: _bits(
            fixed,
            (now.cover_open, 0x04),
            (now.feed_button, 0x08),
            (now.paper_end, 0x20),
            (now.error, 0x40),
        ),
        3: _bits(
            fixed,
            (now.recoverable, 0x04),
            (now.cutter, 0x08),
            (now.unrecoverable, 0x20),
            (now.passing, 0x40),
        ),
        4: _bits(fixed, (now.near_end or now.paper_end, 0x0C), (now.paper_end, 0x60)),
    }
    return bytes((answers[n],))


def automatic(now: Conditions) -> bytes:
    """Return the four bytes of automatic status back, 0xx1xx00 and three times 0xx0xxxx."""
    return bytes(
        (
            _bits(0x10, (now.drawer_open, 0x04), (now.offline, 0x08), (now.cover_open, 0x20), (now.feed_button, 0x40)),
            _bits(0, (now.recoverable, 0x04), (now.cutter, 0x08), (now.unrecoverable, 0x20), (now.passing, 0x40)),
            _bits(0, (now.near_end or now.paper_end, 0x03), (now.paper_end, 0x0C)),
            0,
        )
    )


def is_reported(asked: int, before: bytes, after: bytes) -> bool:
    """Return whether the conditions that GS a `asked` for differ between two automatic statuses."""
    watched = [mask for bit, mask in _REPORTED_BY.items() if asked & bit]
    return any((old ^ new) & bits for mask in watched for old, new, bits in zip(before, after, mask, strict=True))


def in_order(n: int, now: Conditions) -> bytes:
    """Return the byte that GS r `n` requests, 0xx0xxxx; empty for an undefined `n`."""
    if n in (1, 49):
        return bytes((_bits(0, (now.near_end or now.paper_end, 0x03), (now.paper_end, 0x0C)),))
    if n in (2, 50):
        return bytes((_bits(0, (now.drawer_open, 0x01)),))
    return b"\x00" if n in (4, 52) else b""


def block(identifier: int, data: bytes = b"") -> bytes:
    """Return a response from its header to its NUL."""
    return bytes((BLOCK_HEADER, identifier, *data, 0))
