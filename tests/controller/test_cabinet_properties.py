"""Any interleaving of coins, notes, presses, doors, keys, line faults, kills and mains cuts leaves the books balanced.

All games are on offer, and fingers touch whatever lives on the screen.

The devices know what really happened: what lies in the stacker, the cash box and the tray. The journal must
account for all of it, in credit or in an open item, and `cabinet audit` must prove it.
"""

from hypothesis import settings

from tests.rigs.stateful.cabinet import Interleaving

Interleaving.TestCase.settings = settings(max_examples=10, stateful_step_count=30)
TestInterleaving = Interleaving.TestCase
