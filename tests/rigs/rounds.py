"""Rounds played on the machine from press to end."""

from tests.rigs.machine import Rig

BOOKS = "SELECT (SELECT count(*) FROM ledger), (SELECT count(*) FROM rounds), (SELECT sum(value) FROM meters)"


async def spin(rig: Rig) -> None:
    """Play a round to its end, the first of all choices taken."""
    await rig.press("spin")
    for _ in range(400):
        if rig.shown == "idle":
            return
        await rig.press({"offer": "spin", "gamble_offer": "collect"}.get(rig.shown, ""), 0.5)
    raise AssertionError(f"still {rig.shown}")


async def to_the_end(rig: Rig) -> None:
    """Press SPIN at every offer until the round is over, for the first vial, and COLLECT what may be doubled."""
    for _ in range(40):
        if rig.shown == "idle":
            return
        await rig.press("collect" if rig.shown == "gamble_offer" else "spin", 1.5)
    raise AssertionError(f"still {rig.shown}")


async def open_game(rig: Rig, name: str, cents: int = 20_000) -> None:
    """Put money in and open the game."""
    while rig.credit < cents:
        assert await rig.note(5000)
    await rig.until("lobby")
    await rig.press(f"game:{name}")
    if rig.shown == "witch":
        await rig.press("witch:0")
    await rig.until("idle")


def other_than(name: str) -> str:
    """Return a game without companions that is not this one."""
    return "neptune" if name != "neptune" else "witch_feature"
