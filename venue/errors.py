"""Errors of the venue's administration; each message says what is wrong and what to do."""


class VenueError(RuntimeError):
    """A problem that the venue's administrator must fix."""


class MissingProgramError(VenueError):
    """A PostgreSQL program is not installed."""

    def __init__(self, program: str, major: int) -> None:
        super().__init__(
            f"{program} of PostgreSQL {major} is not installed: apt-get install postgresql-client-{major}"
            + (f" postgresql-{major}" if program == "postgres" else "")
        )


class NoServerError(VenueError):
    """No PostgreSQL server answers at the given connection string."""

    def __init__(self, dsn: str, reason: str) -> None:
        super().__init__(
            f"no PostgreSQL answers at {dsn!r} ({' '.join(reason.split())}):"
            " start it (or apt-get install postgresql), and run this as root"
        )
