"""The journal's record of the software: trusted keys, the manifests they signed, and differences found.

The keys are pinned at the first start. Another key is a fault until the technician accepts it, and every change of
software is an event, whoever signed it (requirements.md S1, S3, L7).
"""

from collections.abc import Mapping

import msgspec

from controller.faults import SOFTWARE_KEY, SOFTWARE_TAMPERED
from controller.features.update.events import UpdateEvent
from controller.features.update.installed import Authority, Verdict
from controller.journal import faults
from controller.journal.faults import raise_fault
from controller.journal.key_value import SETTINGS
from controller.journal.transaction import Transaction
from controller.keys.identity import fingerprint

_NAME = "software"
MOST_LISTED = 100
"""The most differences listed in the event, beside the number of all."""


class Known(msgspec.Struct, frozen=True):
    """A part as recorded: the trusted key, in hexadecimal, and the manifest of the last verification."""

    public_key: str
    manifest_sha256: str = ""
    version: str = ""


def known_software(tx: Transaction) -> dict[str, Known]:
    """Return the recorded parts by kind; empty before the first verification."""
    stored = SETTINGS.get(tx, _NAME)
    return {} if stored is None else msgspec.json.decode(stored, type=dict[str, Known])


def at_start(tx: Transaction) -> None:
    """Keep the faults of the software as they were: no key clears them before the next verification (P5, S1)."""
    for fault in faults.active_faults(tx):
        if fault.code in (SOFTWARE_TAMPERED, SOFTWARE_KEY):
            raise_fault(tx, fault.code, fault.place, fault.detail)


def judge(tx: Transaction, verdict: Verdict) -> None:
    """Record the result of a verification: raise or clear faults, and record changes."""
    _judge_files(tx, verdict)
    known = known_software(tx)
    for kind, authority in verdict.authorities.items():
        known[kind] = _judge_authority(tx, kind, authority, known.get(kind))
    _keep(tx, known)


def strangers(tx: Transaction, authorities: Mapping[str, Authority]) -> dict[str, Authority]:
    """Return the signers whose keys are not trusted, by the kind of their part."""
    known = known_software(tx)
    return {
        kind: authority
        for kind, authority in authorities.items()
        if kind in known and known[kind].public_key != authority.public_key.hex()
    }


def accept(tx: Transaction, authorities: Mapping[str, Authority], who: str) -> bool:
    """Trust these keys from now on and record by whom; return whether any is new."""
    new = strangers(tx, authorities)
    known = known_software(tx)
    for kind, authority in new.items():
        old = bytes.fromhex(known[kind].public_key)
        key, before = fingerprint(authority.public_key), fingerprint(old)
        tx.event(UpdateEvent.KEY_ACCEPTED, kind=kind, key=key, before=before, who=who)
        faults.clear_fault(tx, SOFTWARE_KEY, kind, who)
        known[kind] = msgspec.structs.replace(known[kind], public_key=authority.public_key.hex())
    _keep(tx, known)
    return bool(new)


def _judge_files(tx: Transaction, verdict: Verdict) -> None:
    active = [fault for fault in faults.active_faults(tx) if fault.code == SOFTWARE_TAMPERED]
    if verdict.is_authentic:
        for fault in active:
            if faults.fault_gone(tx, SOFTWARE_TAMPERED, fault.place):
                tx.event(UpdateEvent.SOFTWARE_WHOLE_AGAIN, files=verdict.files)
        return
    first, detail = verdict.differences[0].path, _list(verdict)
    for fault in active:
        if (fault.place, fault.detail) != (first, detail):
            faults.remove_fault(tx, SOFTWARE_TAMPERED, fault.place)
    raise_fault(tx, SOFTWARE_TAMPERED, first, detail)


def _list(verdict: Verdict) -> str:
    listed = [str(difference) for difference in verdict.differences[:MOST_LISTED]]
    more = len(verdict.differences) - len(listed)
    return "; ".join(listed) + (f"; and {more} more" if more else "")


def _judge_authority(tx: Transaction, kind: str, authority: Authority, known: Known | None) -> Known:
    key = authority.public_key.hex()
    if known is None:
        tx.event(UpdateEvent.KEY_KNOWN, kind=kind, key=fingerprint(authority.public_key))
        known = Known(key)
    if known.public_key == key:
        faults.clear_fault(tx, SOFTWARE_KEY, kind, "itself")
    else:
        old = fingerprint(bytes.fromhex(known.public_key))
        detail = f"{kind}: signed with the key {fingerprint(authority.public_key)}, trusted is {old}"
        raise_fault(tx, SOFTWARE_KEY, kind, detail)
    if known.manifest_sha256 != authority.manifest_sha256:
        tx.event(
            UpdateEvent.SOFTWARE_CHANGED if known.manifest_sha256 else UpdateEvent.SOFTWARE_KNOWN,
            kind=kind,
            version=authority.version,
            sha256=authority.manifest_sha256,
            before=known.version,
            before_sha256=known.manifest_sha256,
        )
    return Known(known.public_key, authority.manifest_sha256, authority.version)


def _keep(tx: Transaction, known: Mapping[str, Known]) -> None:
    text = msgspec.json.encode(known, order="sorted").decode()
    if text != SETTINGS.get(tx, _NAME):
        SETTINGS.store(tx, _NAME, text)
