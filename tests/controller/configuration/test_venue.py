"""`[venue]`: what it may hold; each mistake names its key and the mend."""

import pytest

from controller.configuration.cabinet_toml import parse
from controller.features.venue.configuration import VenueAddress
from tests.rigs.configurations import SMALLEST, problems

HOST = 'host = "venue.example"\n'


def test_a_cabinet_without_the_table_is_in_no_venue() -> None:
    """The pools are its own."""
    assert parse(SMALLEST).venue is None


def test_the_host_alone_is_enough() -> None:
    """PostgreSQL's own port, and the name that `cabinet venue init` gives."""
    assert parse(f"{SMALLEST}[venue]\n{HOST}").venue == VenueAddress(host="venue.example", port=5432, name="venue")


def test_all_keys_are_taken() -> None:
    """As they are written."""
    text = f'{SMALLEST}[venue]\nhost = "10.0.0.5"\nport = 6543\nname = "hall"\n'
    assert parse(text).venue == VenueAddress(host="10.0.0.5", port=6543, name="hall")


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("", "venue.host: is missing; add it"),
        ('host = ""\n', "venue.host: is empty; give it a value"),
        ('host = " "\n', "venue.host: is empty; give it a value"),
        ("host = 5\n", "venue.host: must be a text in quotes, not 5"),
        ('host = "a\\u0000"\n', "venue.host: holds an unprintable character"),
        (f"{HOST}port = 0\n", "venue.port: is 0; give 1 to 65535 (a TCP port)"),
        (f"{HOST}port = 65536\n", "venue.port: is 65536; give 1 to 65535 (a TCP port)"),
        (f'{HOST}port = "5432"\n', "venue.port: must be a whole number, not '5432'"),
        (f'{HOST}name = ""\n', "venue.name: is empty; give it a value"),
        (f"{HOST}name = 1\n", "venue.name: must be a text in quotes, not 1"),
        (f"{HOST}prot = 5432\n", "venue.prot: is no known key; did you mean 'port'?"),
        (f'{HOST}password = "x"\n', "venue.password: is no known key; take it out"),
    ],
)
def test_each_mistake_names_key_and_mend(table: str, expected: str) -> None:
    """One mistake gives one problem."""
    found = problems(f"{SMALLEST}[venue]\n{table}")
    assert len(found) == 1, found
    assert found[0].startswith(expected)


def test_a_value_that_is_no_table_is_refused() -> None:
    """An address in one line, as one might guess."""
    (found,) = problems(f'venue = "venue.example"\n{SMALLEST}')
    assert found.startswith("venue: must be a table ([venue]), not 'venue.example'")
