"""A venue that is restored from copies of its database, and cabinets that outlive it."""

import itertools

from psycopg.types.json import Jsonb

from tests.rigs.postgres import VenueDatabase
from tests.rigs.venue_cabinet import Award, VenueCabinet

_NUMBERS = itertools.count(1)


def backup_of(database: VenueDatabase) -> str:
    """Copy the database as it is now into one of its own, and return its name."""
    name = f"{database.name}_b{next(_NUMBERS)}"
    with database.server.new_database().connect() as admin:  # any other database, since a template is not connected to
        admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (database.name,))
        admin.execute(f"CREATE DATABASE {name} TEMPLATE {database.name}")
        admin.execute(f"GRANT CONNECT ON DATABASE {name} TO cabinets, venue_page")
    return name


class Party:
    """Cabinets that outlive the venue's database: what each knows is kept when it is restored."""

    def __init__(self, database: VenueDatabase, count: int) -> None:
        self.server = database.server
        self.database = database
        self.cabinets = [VenueCabinet(database.dsn(database.add_cabinet(number))) for number in range(1, count + 1)]
        self.answered: dict[int, list[dict[str, int]]] = {number: [] for number in range(1, count + 1)}
        for cabinet in self.cabinets:
            cabinet.hello()

    def play(self, number: int, millicents: int) -> None:
        cabinet = self.cabinets[number - 1]
        cabinet.play(1, millicents)
        cabinet.put()

    def claim(self, number: int, round_id: int) -> Award:
        cabinet = self.cabinets[number - 1]
        answer = cabinet.claim(1, round_id)
        self.answered[number].append(
            {"pool": 1, "epoch": cabinet.epoch, "round": round_id, "number": 0}
            | {"hit": answer.hit, "seed": answer.seed, "award": answer.award}
        )
        return answer

    def reconnect(self, name: str) -> None:
        """Connect all to another database, as after a restore; each begins with hello."""
        for number, cabinet in enumerate(self.cabinets, 1):
            cabinet.connection.close()
            old = cabinet
            self.cabinets[number - 1] = VenueCabinet(self.server.dsn(name, f"cab_{number}"))
            for key in ("epoch", "seqs", "cums"):
                setattr(self.cabinets[number - 1], key, getattr(old, key))
        self.database = VenueDatabase(self.server, name)

    def back_up(self) -> str:
        """Return a copy of the venue's database; the cabinets go on with the venue."""
        copy = backup_of(self.database)
        self.reconnect(self.database.name)
        for cabinet in self.cabinets:
            cabinet.hello()
        return copy

    def restore(self, copy: str) -> None:
        """Go on with a copy, whose pools recover."""
        self.reconnect(copy)
        self.page("SELECT venue.begin_recovery('restored', 'anna')")

    def give_back(self, number: int) -> int:
        cabinet = self.cabinets[number - 1]
        assert cabinet.hello(evseq=0).fresh is False
        cabinet.put()
        (row,) = cabinet.call("give_back", cabinet.session, Jsonb(self.answered[number]))
        cabinet.call("reported", cabinet.session, Jsonb({str(pool): seq for pool, seq in cabinet.seqs.items()}))
        return int(row[0])

    def page(self, statement: str) -> object:
        with self.database.connect("venue_page") as page:
            row = page.execute(statement).fetchone()
        return None if row is None else row[0]

    def close(self) -> None:
        for cabinet in self.cabinets:
            cabinet.connection.close()
