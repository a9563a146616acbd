"""No order of prints, kills, tickets put in and key turns pays a cent twice, or keeps one from the player."""

from hypothesis import settings

from tests.rigs.stateful.tickets import TicketCycles

TicketCycles.TestCase.settings = settings(max_examples=15, stateful_step_count=20)
TestTicketCycles = TicketCycles.TestCase
