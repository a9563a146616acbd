"""The main meters as one line of text, signed by the cabinet, short enough to be scanned from its screen.

It uses only the QR code's alphanumeric mode (ISO/IEC 18004, 7.3.4), which takes a third less room:

CAB1 <cabinet id> <UTC> G<journal> P<period> N<row> H<hash> K<key> CI<lifetime>/<period> ... CR<credit> S<signature>

`N` and `H` are the last ledger row's number and hash, `K` is the beginning of the public key in hexadecimal, `S` the
Ed25519 signature of all before ` S` in base 32.
"""

import base64
import binascii
import sqlite3
from collections.abc import Mapping

import msgspec

from controller.journal import periods
from controller.journal.ledger import ADDS, TAKES
from controller.keys.identity import Identity, is_signed
from controller.media.signed_folder import NotSignedError
from controller.media.snapshots import manifest_of

FORMAT = "CAB1"
METERS = {
    "CI": "stakes",
    "CO": "wins",
    "SV": "stakes_voided",
    "WV": "wins_voided",
    "CN": "coins_in",
    "NT": "notes_in",
    "TI": "tickets_in",
    "XI": "host_in",
    "FD": "found_in",
    "SC": "service_credit",
    "DI": "demo_in",
    "HO": "hopper_out",
    "TO": "tickets_out",
    "XO": "host_out",
    "HP": "hand_pay",
    "CV": "credits_voided",
    "DO": "demo_out",
    "PH": "payouts_held",
    "HR": "held_released",
    "GM": "games",
}
"""The meters in the text, by their two letters: every term of the books' equation in cents, and the games."""

_SIGNATURE = " S"
_LARGEST = 15
"""The largest QR version (77 modules), which the smallest screen shows at seven units per module."""


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a summary; `meters` are lifetime and period figures by the meter's name."""

    cabinet_id: str
    made: str
    generation: int
    period: int
    seq: int
    head: str
    key: str
    credit_cents: int
    meters: Mapping[str, tuple[int, int]]

    @property
    def balance_cents(self) -> int:
        """The credit computed from the lifetime meters by the books' equation."""
        lifetime = {name: figure for name, (figure, _) in self.meters.items()}
        return sum(lifetime.get(name, 0) for name in ADDS) - sum(lifetime.get(name, 0) for name in TAKES)


def summary(connection: sqlite3.Connection, identity: Identity, now_ms: int) -> str:
    """Return the signed text of this snapshot of the journal."""
    manifest = manifest_of(connection, "summary", "", now_ms)
    moment = manifest.made.translate(str.maketrans("", "", "-:"))
    lifetime, since = periods.lifetime(connection), periods.since_collection(connection)
    meters = (f"{letters}{lifetime.get(name, 0)}/{since.get(name, 0)}" for letters, name in METERS.items())
    period = periods.open_period(connection)
    text = (
        f"{FORMAT} {manifest.cabinet_id.upper()} {moment} G{manifest.generation} P{period} N{manifest.seq}"
        f" H{manifest.head.upper()} K{identity.public_key.hex()[:16].upper()} {' '.join(meters)}"
        f" CR{manifest.credit_cents}"
    )
    signature = base64.b32encode(identity.sign(text.encode("ascii"))).decode("ascii").rstrip("=")
    return f"{text}{_SIGNATURE}{signature}"


def read_summary(text: str, public_key: bytes) -> Summary:
    """Return the content of a scanned text after verifying that the cabinet with that key signed it.

    Raise `NotSignedError` with the reason if it is not.
    """
    said, mark, signature = text.strip().rpartition(_SIGNATURE)
    if not mark or not said.startswith(f"{FORMAT} "):
        raise NotSignedError("this is no summary of a cabinet's meters")
    try:
        signed = base64.b32decode(signature + "=" * (-len(signature) % 8))
    except binascii.Error as error:
        raise NotSignedError("its signature was not read whole: scan it again") from error
    if not is_signed(public_key, said.encode("ascii", "replace"), signed):
        raise NotSignedError(f"it was not signed with the key {public_key.hex()[:16]}, or a figure was changed")
    _, cabinet_id, made, generation, period, seq, head, key, *meters, credit = said.split(" ")
    return Summary(
        cabinet_id=cabinet_id.lower(),
        made=made,
        generation=int(generation[1:]),
        period=int(period[1:]),
        seq=int(seq[1:]),
        head=head[1:].lower(),
        key=key[1:].lower(),
        credit_cents=int(credit[2:]),
        meters={METERS[field[:2]]: _pair(field[2:]) for field in meters},
    )


def _pair(figures: str) -> tuple[int, int]:
    lifetime, _, period = figures.partition("/")
    return int(lifetime), int(period)


def modules(text: str) -> tuple[str, ...]:
    """Return the QR code of `text` as rows of modules without its quiet zone, `1` for a dark one.

    It corrects 15 % of errors, or 7 % if the text is so long that its modules would become too small.
    """
    import segno  # noqa: PLC0415 - only whoever opens that page pays for it

    code = segno.make_qr(text, error="m", boost_error=False)
    if int(code.version) > _LARGEST:
        code = segno.make_qr(text, error="l", boost_error=False)
    return tuple("".join("1" if dark else "0" for dark in row) for row in code.matrix)
