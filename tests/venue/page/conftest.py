"""The page's tests run on Django with a database of their own each."""

import os
from collections.abc import Iterator

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.rigs.page_settings"

import django

django.setup()

from django.test.utils import setup_test_environment

setup_test_environment()

import pytest
from django.core.cache import cache
from django.db import connections

from tests.rigs.postgres import PostgresServer, VenueDatabase
from tests.rigs.venue_cabinet import VenueCabinet
from tests.rigs.venue_floor import close, populate
from tests.rigs.venue_page import PageTemplate


@pytest.fixture(scope="session")
def page_template(postgres_server: PostgresServer) -> PageTemplate:
    """The database that each test's is copied from."""
    return PageTemplate(postgres_server)


@pytest.fixture
def site(page_template: PageTemplate) -> Iterator[VenueDatabase]:
    """A venue's fresh database that the page works on."""
    yield from _used(page_template)


@pytest.fixture(scope="session")
def full_template(page_template: PageTemplate) -> PageTemplate:
    """A venue with something of everything, made once."""
    cabinets: list[VenueCabinet] = []
    database = page_template.copy()
    try:
        populate(database, cabinets, days=15)
        with database.connect() as admin:
            admin.execute("UPDATE venue.status SET at = at - interval '1 hour'")
    finally:
        close(cabinets)
    return PageTemplate(page_template.server, database)


@pytest.fixture
def floor(full_template: PageTemplate) -> Iterator[VenueDatabase]:
    """A venue with something of everything, whose cabinets have gone silent since."""
    yield from _used(full_template)


def _used(template: PageTemplate) -> Iterator[VenueDatabase]:
    database = template.copy()
    cache.clear()
    yield database
    connections["default"].close()
    database.drop()
