"""The four roles of accounts; each role includes the rights of the roles below it."""

from enum import IntEnum


class Role(IntEnum):
    """What an account may do; compare with `>=`."""

    VIEWER = 1
    CASHIER = 2
    OPERATOR = 3
    ADMINISTRATOR = 4


SECOND_FACTOR_FROM = Role.OPERATOR
"""Lowest role that needs a second factor to log in."""
