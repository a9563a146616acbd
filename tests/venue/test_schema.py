"""The versions of the schema: applied once, in order, and only by a program that knows what is there."""

import re
from pathlib import Path

import psycopg
import pytest

from tests.rigs.postgres import VenueDatabase
from venue import schema
from venue.pools import add_missing, terms_of_games
from venue.schema import SchemaError, Version, migrate, versions

LATER = [
    *versions(),
    Version(
        "0002_remarks",
        (
            "SET LOCAL ROLE venue_owner; ALTER TABLE venue.pool ADD COLUMN remark text",
            "UPDATE venue.pool SET remark = 'of ' || game",
            "SET LOCAL ROLE venue_owner; CREATE VIEW venue.remarks AS SELECT remark FROM venue.pool",
        ),
    ),
]
"""An invented later version: what a release after this one might add."""


def test_versions_are_numbered_without_a_gap() -> None:
    """Folders are named 0001_…, 0002_…, one after the other, and their files 01_…, 02_…."""
    assert [int(version.name[:4]) for version in versions()] == list(range(1, len(versions()) + 1))
    for folder in Path(schema.__file__).parent.glob("0*"):
        numbers = sorted(int(file.name[:2]) for file in folder.iterdir())
        assert numbers == list(range(1, len(numbers) + 1))


def test_the_first_version_is_written_as_one() -> None:
    """Nothing of it replaces, renames or removes what another of its files has made."""
    (first,) = versions()
    for file in first.files:
        statements = re.sub(r"\$\$.*?\$\$", "", file, flags=re.DOTALL)  # without the functions' bodies
        assert re.findall(r"\bOR REPLACE\b|\bRENAME\b|^DROP\b|^UPDATE\b|^ALTER VIEW\b", statements, re.MULTILINE) == []
        for table in re.findall(r"^ALTER TABLE (\S+)", statements, re.MULTILINE):
            assert f"CREATE TABLE {table} (" in file


def test_a_second_run_does_nothing(venue_database: VenueDatabase) -> None:
    """What was applied is recorded and not applied again."""
    with venue_database.connect() as admin:
        assert migrate(admin) == []


def test_a_later_version_takes_over_what_is_there(venue_database: VenueDatabase) -> None:
    """Only what is new is applied, to the rows that there are; the program before it refuses the database then."""
    venue_database.add_pool()
    with venue_database.connect() as admin:
        assert migrate(admin, LATER) == ["0002_remarks"]
        assert migrate(admin, LATER) == []
        assert admin.execute("SELECT remark FROM venue.remarks").fetchall() == [("of bewitched",)]
        with pytest.raises(SchemaError, match=r"0002_remarks.*newer program"):
            migrate(admin)
    with venue_database.connect("venue_page") as page:
        assert page.execute("SELECT remark FROM venue.remarks").fetchall() == [("of bewitched",)]


def test_a_version_that_fails_leaves_all_as_it_was(venue_database: VenueDatabase) -> None:
    """Its files are one transaction."""
    broken = [*versions(), LATER[-1]._replace(files=(*LATER[-1].files, "SELECT nothing"))]
    with venue_database.connect() as admin:
        with pytest.raises(psycopg.errors.UndefinedColumn):
            migrate(admin, broken)
        assert admin.execute("SELECT to_regclass('venue.remarks')").fetchone() == (None,)
        assert migrate(admin, LATER) == ["0002_remarks"]


def test_a_changed_file_is_refused(venue_database: VenueDatabase) -> None:
    """A version that is not what was applied shows another program's schema."""
    first, *_ = versions()
    with venue_database.connect() as admin, pytest.raises(SchemaError, match="0001_schema"):
        migrate(admin, [first._replace(files=(*first.files, "-- one more"))])


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
