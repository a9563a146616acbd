"""One-time enrolment codes: twenty digits that an operator reads out and a technician types in the service menu.

The first three digits are the number of a login that exists only for this code; the others are its password. Cabinet
and server prove to each other that they know the password and see the same certificate (SCRAM with channel binding),
so neither a stranger nor a man in the middle gets a session.
"""

import secrets

import psycopg

LOGIN_DIGITS = 3
SECRET_DIGITS = 17
GROUP = 4


class NoAuthorityError(RuntimeError):
    """The venue has no certificate authority yet, so a cabinet cannot verify it."""


def make_code(connection: psycopg.Connection, by: str, replaces: int | None = None) -> str:
    """Create an enrolment code for a new cabinet, or for the successor of `replaces`; return it in groups of four.

    The code is valid for 15 minutes (docs/venue-protocol.md, Enrolment). `by` is recorded as its author. Raises
    `NoAuthorityError` before `cabinet venue init`, `psycopg.Error` if the cabinet `replaces` does not exist.
    """
    row = connection.execute("SELECT authority FROM venue.site").fetchone()
    if row is None or not row[0]:
        raise NoAuthorityError("this venue has no authority: run `cabinet venue init`")
    secret = f"{secrets.randbelow(10**SECRET_DIGITS):0{SECRET_DIGITS}d}"
    verifier = connection.pgconn.encrypt_password(secret.encode(), b"enrolment", b"scram-sha-256").decode()
    (number,) = connection.execute("SELECT venue.new_code(%s, %s, %s)", (verifier, replaces, by)).fetchone() or (0,)
    return grouped(f"{number:0{LOGIN_DIGITS}d}{secret}")


def grouped(code: str) -> str:
    """Return a code with a space after every four digits."""
    return " ".join(code[start : start + GROUP] for start in range(0, len(code), GROUP))
