"""Any sequence of money, rounds, payouts and restarts leaves the books balanced (invariants 2, 5 and 9)."""

import pytest
from hypothesis import settings

from tests.rigs.stateful.journal import Books

pytestmark = pytest.mark.requirement("M7")

Books.TestCase.settings = settings(max_examples=15, stateful_step_count=40)
TestBooks = Books.TestCase
