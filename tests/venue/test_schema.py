"""The migrations: applied once, in order, and only by a program that knows what is there."""

import psycopg
import pytest

from tests.rigs.postgres import VenueDatabase
from venue.pools import add_missing, terms_of_games
from venue.schema import SchemaError, migrate, migrations


def test_migrations_are_numbered_without_a_gap() -> None:
    """Files are named 0001_…, 0002_…, one after the other."""
    assert [int(migration.name[:4]) for migration in migrations()] == list(range(1, len(migrations()) + 1))


def test_a_second_run_does_nothing(venue_database: VenueDatabase) -> None:
    """What was applied is recorded and not applied again."""
    with venue_database.connect() as admin:
        assert migrate(admin) == []


def test_a_newer_schema_is_refused(venue_database: VenueDatabase) -> None:
    """An older program leaves a newer database alone."""
    with venue_database.connect() as admin:
        admin.execute("INSERT INTO public.venue_migration (name, sha256) VALUES ('9999_later.sql', 'x')")
        with pytest.raises(SchemaError, match=r"9999_later\.sql.*newer program"):
            migrate(admin)


def test_a_changed_file_is_refused(venue_database: VenueDatabase) -> None:
    """A file that is not what was applied shows another program's schema."""
    with venue_database.connect() as admin:
        admin.execute("UPDATE public.venue_migration SET sha256 = 'x' WHERE name LIKE '0001%'")
        with pytest.raises(SchemaError, match="0001_core"):
            migrate(admin)


def test_pools_are_those_of_the_games(venue_database: VenueDatabase) -> None:
    """Each game with a jackpot has one pool a coin value, with the seed and rate of its rule page; added once."""
    with venue_database.connect("venue_page") as page:
        added = add_missing(page, [10, 25], "anna")
        assert add_missing(page, [25, 10], "anna") == []
        assert [terms.coin for terms in add_missing(page, [10, 50], "anna")] == [50, 50]
        rows = page.execute(
            "SELECT game, coin, seed, rate_per_mille FROM venue.pool WHERE coin < 50 ORDER BY pool"
        ).fetchall()
    assert rows == [tuple(terms) for terms in added] == [tuple(terms) for terms in terms_of_games([10, 25])]
    assert ("bewitched", 25, 50_000_000, 5) in rows


def test_a_seed_is_whole_coins(venue_database: VenueDatabase) -> None:
    """A seed with a part of a coin would make an award below it, so the table refuses it."""
    with pytest.raises(psycopg.errors.CheckViolation):
        venue_database.add_pool(coin=25, seed=50_000_001)
