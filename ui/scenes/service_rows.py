"""What a row of the service menu says behind its label."""

from ui import text
from ui.messages import Money, ServiceRow
from ui.money import written

OF_EACH = " \u00d7 "
"""Between so many notes, coins or games and the value of each."""


def figures_of(row: ServiceRow, money: Money) -> str:
    """Return the value, count and amount of a row, in the reader's language and the cabinet's money."""
    amount = "" if row.cents is None else written(row.cents, money)
    count = "" if row.count is None else text.whole(row.count)
    return "   ".join(filter(None, (text.told(row.value), OF_EACH.join(filter(None, (count, amount))))))
