"""Draws an event with an exact probability, for a fraction of any length."""

from fractions import Fraction

from gamekit.play import Draw

_BASE = 2**32


def happens(draw: Draw, chance: Fraction) -> bool:
    """Return True with probability `chance`, exactly; raise ValueError where it is no probability.

    The fraction's digits in base 2**32 are compared with drawn digits until two differ: almost always one draw, no draw
    for a certain event, and never a bound too large for the journal.
    """
    if not 0 <= chance <= 1:
        raise ValueError(f"{chance} is no probability")
    if chance == 1:
        return True
    rest = chance.numerator
    while rest:
        digit, rest = divmod(rest * _BASE, chance.denominator)
        drawn = draw(_BASE)
        if drawn != digit:
            return drawn < digit
    return False
