"""No order of play, answers, breaks, cash-outs and power cuts stakes what is held back.

The loss of a session never passes its limit; nothing is staked before the limit was asked for, while a reality check
is due, or in a break; and the session's figures add up to the credit, cent by cent.
"""

from hypothesis import settings

from tests.rigs.stateful.held_back import HeldBack

HeldBack.TestCase.settings = settings(max_examples=8, stateful_step_count=20)
TestHeldBack = HeldBack.TestCase
