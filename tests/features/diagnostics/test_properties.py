"""Any order of tests, money, keys, doors, faults and cuts: nothing of a test is money, and no money is a test's.

The devices know what really happened. Each coin that was accepted is either credited or recorded as a test's, once, as
the acceptor was set when it took it; notes of a test are in no box; the tray holds what payouts and tests gave.
"""

from hypothesis import settings

from tests.rigs.stateful.device_tests import Testing

Testing.TestCase.settings = settings(max_examples=10, stateful_step_count=20)
TestTesting = Testing.TestCase
