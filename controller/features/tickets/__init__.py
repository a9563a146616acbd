"""Tickets: printed for credit, read by the bill validator, and slips for attendants."""
