"""Pick features: the player takes some of the objects shown; an object's content is drawn after it is chosen."""

from collections.abc import Callable, Generator

from gamekit.beats import Pick, PickOpened, PicksEnded, checked_choice
from gamekit.play import Answer, Beat, Step


def take_objects(count: int, shown: int, taken: Callable[[int], Beat]) -> Generator[Step, Answer | None, None]:
    """Offer `count` picks among `shown` objects, none of them twice, and yield what `taken` makes of each choice.

    `taken` is called after the pick, so that it may draw what the object holds. Raises ValueError where there are
    fewer objects than picks.
    """
    if count > shown:
        raise ValueError(f"{count} picks cannot be made among {shown} objects")
    closed = tuple(range(shown))
    for left in range(count, 0, -1):
        offer = Pick(choices=closed, left=left)
        choice = checked_choice(offer, (yield offer))
        closed = tuple(index for index in closed if index != choice)
        yield taken(choice)


def open_objects(count: int, shown: int, prize: Callable[[], int]) -> Generator[Step, Answer | None, int]:
    """Offer `count` picks among `shown` objects and return the coins they paid.

    `prize` draws an object's content in coins; it is called after the pick, so objects that stay closed have none.
    Raises ValueError if there are fewer objects than picks.
    """
    total = 0

    def opened(choice: int) -> PickOpened:
        nonlocal total
        coins = prize()
        total += coins
        return PickOpened(choice, coins=coins)

    yield from take_objects(count, shown, opened)
    yield PicksEnded(total)
    return total
