from collections import Counter
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from drivers.simulated.ssp.payout_store import exactly

STOCKS = st.dictionaries(st.sampled_from([5, 10, 20, 25, 50, 100]), st.integers(0, 4), max_size=4)


@given(st.integers(0, 400), STOCKS)
def test_an_amount_is_paid_with_what_is_there_or_not_at_all(amount: int, stock: dict[int, int]) -> None:
    """Pieces of the stock, worth the amount to the cent, whenever any choice of them is."""
    pieces = exactly(amount, stock)
    choices = product(*(range(count + 1) for count in stock.values()))
    payable = any(sum(map(int.__mul__, stock, choice)) == amount for choice in choices)
    assert (pieces is not None) == payable
    if pieces is not None:
        assert sum(pieces) == amount
        assert pieces == sorted(pieces, reverse=True)
        assert Counter(pieces) <= Counter(stock)
