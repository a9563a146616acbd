"""The four roles of accounts: each may do what the one before may, and more."""

from enum import IntEnum


class Role(IntEnum):
    """What an account may do; compare with `>=`."""

    VIEWER = 1
    CASHIER = 2
    OPERATOR = 3
    ADMINISTRATOR = 4


SECOND_FACTOR_FROM = Role.OPERATOR
"""From this role on a login needs a second factor."""
