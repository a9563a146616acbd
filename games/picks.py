"""Pick bonuses: the player opens some of the objects shown; what each holds is drawn once it is chosen."""

from collections.abc import Callable, Generator

from games.beats import Pick, PickOpened, PicksEnded, accept
from games.play import Answer, Step


def open_objects(count: int, shown: int, prize: Callable[[], int]) -> Generator[Step, Answer | None, int]:
    """Offer `count` picks among `shown` objects and return the coins they paid.

    `prize` draws what an object holds, in coins; it is called after the pick, so nothing lies in an object that
    stays closed. Raises ValueError where there are fewer objects than picks.
    """
    if count > shown:
        raise ValueError(f"{count} picks cannot be made among {shown} objects")
    total = 0
    closed = tuple(range(shown))
    for left in range(count, 0, -1):
        offer = Pick(choices=closed, left=left)
        choice = accept(offer, (yield offer))
        coins = prize()
        total += coins
        closed = tuple(index for index in closed if index != choice)
        yield PickOpened(choice, coins=coins)
    yield PicksEnded(total)
    return total
