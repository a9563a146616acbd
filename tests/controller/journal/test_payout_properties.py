"""No order of kills, mains cuts, key turns and hopper troubles pays a cent twice, or keeps one from the player.

What left the hopper is what the simulated devices have thrown into the tray. What was paid by hand is what the screen
asked an attendant for. Their sum never exceeds what was put in, at any moment; when all is mended it is equal to it.
"""

from hypothesis import settings

from tests.rigs.stateful.payouts import CashOuts

CashOuts.TestCase.settings = settings(max_examples=12, stateful_step_count=20)
TestCashOuts = CashOuts.TestCase
