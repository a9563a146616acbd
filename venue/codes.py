"""One-time codes of enrolment: twenty digits that an operator reads out and a technician types in the service menu."""

import hashlib
import hmac
import secrets

import psycopg
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

SECRET_DIGITS = 10
CHECK_DIGITS = 10
GROUP = 4


class NoAuthorityError(RuntimeError):
    """The venue has no certificate authority yet, so a cabinet could not verify it."""


def make_code(connection: psycopg.Connection, by: str, replaces: int | None = None) -> str:
    """Record a new code made by `by`, for a new cabinet or one that is replaced; return it in groups of four digits.

    Good for 15 minutes and five attempts (docs/venue-protocol.md, Enrolment). Raises `NoAuthorityError` before
    `cabinet venue init`, `psycopg.Error` for a cabinet that does not exist.
    """
    row = connection.execute("SELECT authority FROM venue.site").fetchone()
    if row is None or not row[0]:
        raise NoAuthorityError("this venue has no authority: run `cabinet venue init`")
    secret = f"{secrets.randbelow(10**SECRET_DIGITS):0{SECRET_DIGITS}d}"
    connection.execute(
        "SELECT venue.new_code(%s, %s, %s)", (hashlib.sha256(secret.encode()).digest(), replaces, by)
    ).fetchone()
    return grouped(secret + check_digits(secret, row[0]))


def check_digits(secret: str, authority_pem: str) -> str:
    """Return the ten digits by which a cabinet recognises the authority before it sends the secret."""
    der = x509.load_pem_x509_certificate(authority_pem.encode()).public_bytes(Encoding.DER)
    digest = hmac.digest(secret.encode("ascii"), der, "sha256")
    return f"{int.from_bytes(digest[:8], 'big') % 10**CHECK_DIGITS:0{CHECK_DIGITS}d}"


def grouped(code: str) -> str:
    """Return a code's digits in groups of four."""
    return " ".join(code[start : start + GROUP] for start in range(0, len(code), GROUP))
