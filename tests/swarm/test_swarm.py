"""A few lives in each run, and that a life is repeated, found wrong where it is, and shortened."""

import asyncio
from pathlib import Path

import pytest

from tests.swarm.disk import FULL, RESERVE, SYNC, WELL
from tests.swarm.errors import WrongError
from tests.swarm.hands import ACTS
from tests.swarm.keys import SETTLED_S
from tests.swarm.living import Outcome, books_of, life_of, lived, seed_lived
from tests.swarm.script import PRINTER, Act, Life
from tests.swarm.shrinking import shrunk
from tests.swarm.tally import compare
from tests.swarm.wall import JUMPS_S
from tests.swarm.world import World

NOTE = Life(1, "id003", "cctalk", commit_s=0.05, host=False, acts=(Act(8.0, "note", ("1000",)),))


@pytest.mark.parametrize("seed", range(1, 25))
def test_a_life_holds(seed: int) -> None:
    """Books and devices are equal in the end, and the cabinet serves."""
    outcome = seed_lived(seed)
    assert not outcome.wrong, f"{outcome.wrong}\n{outcome.life.text}"


@pytest.mark.parametrize(
    "script", sorted(Path(__file__).with_name("scripts").glob("*.txt")), ids=lambda file: file.stem
)
def test_a_script_that_failed_holds(script: Path) -> None:
    """What the swarm has found, each as the shortest script that failed."""
    assert not lived(Life.parse(script.read_text(encoding="utf-8"))).wrong


def test_a_seed_lives_the_same_life_twice() -> None:
    """Every row of the ledger is the same, events among them."""
    assert seed_lived(7).digest == seed_lived(7).digest != seed_lived(8).digest


def test_a_script_is_read_as_it_was_written() -> None:
    """Of any life."""
    for seed in range(20):
        life = life_of(seed)
        assert Life.parse(life.text) == life


def test_a_script_of_another_kind_is_refused() -> None:
    """With what it begins with."""
    with pytest.raises(ValueError, match="begins with 'cabinet', this one with 'house'"):
        Life.parse("house 1 id003 cctalk 0 0")


def test_an_act_that_fails_is_the_outcome() -> None:
    """A life with an impossible act ends with its error."""
    outcome = lived(NOTE.only([Act(1.0, "note", ("3",))]))
    assert outcome.wrong.startswith("ValueError: no such note: 3 cents")


@pytest.mark.parametrize("kind", ["notes", "coins"])
async def test_money_that_is_in_no_book_is_found(tmp_path: Path, kind: str) -> None:
    """A note or coin more in the hand's own count than the books and their items explain."""
    world = World(tmp_path, NOTE)
    await world.start()
    for one in NOTE.acts:
        await asyncio.sleep(one.after_s)
        await ACTS[one.name](world, *one.words)
    await asyncio.sleep(20.0)
    proof, items = await books_of(world)
    compare(world, proof, items)
    world.put_in[kind] += 500
    with pytest.raises(WrongError, match=f"{kind}: "):
        compare(world, proof, items)
    await world.die(computer=False)


async def test_a_ticket_that_is_worth_more_than_the_books_say_is_found(tmp_path: Path) -> None:
    """A ticket is printed and taken; then another amount stands on its paper."""
    world = World(tmp_path, NOTE._replace(payer=PRINTER))
    await world.start()
    await asyncio.sleep(8.0)
    world.note(1000)
    await asyncio.sleep(8.0)
    await world.tap("collect")
    await asyncio.sleep(8.0)
    [number] = world.held
    world.ticket()
    await asyncio.sleep(20.0)
    proof, items = await books_of(world)
    compare(world, proof, items)
    assert world.worth == {number: 1000}
    world.worth[number] = 1100
    with pytest.raises(WrongError, match="tickets: 1100 cents in the box, the books say 1000"):
        compare(world, proof, items)
    await world.die(computer=False)


async def test_a_stake_while_a_key_is_on_is_found(tmp_path: Path) -> None:
    """Somebody has turned a key that the cabinet does not see, and SPIN is pressed."""
    world = World(tmp_path, NOTE)
    await world.start()
    await asyncio.sleep(8.0)
    await world.insert_note(1000)
    world.keys.turned("attendant", is_on=True)
    await asyncio.sleep(SETTLED_S + 1.0)
    world.mind()
    for _ in range(2):
        await world.press("spin")
        await asyncio.sleep(3.0)
    with pytest.raises(WrongError, match=r"staked or paid with a key on: \['attendant'\]"):
        world.mind()
    world.keys.end()
    await world.die(computer=False)


@pytest.mark.parametrize("state", [FULL, SYNC, RESERVE])
def test_a_cabinet_outlives_the_trouble_of_its_disk(state: str) -> None:
    """What is put in while the disk takes nothing is given back, or has its item."""
    acts = (
        Act(1.0, "disk", (state,)),
        Act(1.0, "note", ("500",)),
        Act(5.0, "coin", ("100",)),
        Act(5.0, "disk", (WELL,)),
    )
    assert not lived(NOTE.only([*NOTE.acts, *acts])).wrong


@pytest.mark.parametrize("seconds", [JUMPS_S[0], JUMPS_S[-2], JUMPS_S[-1]])
def test_a_cabinet_outlives_a_clock_that_jumps(seconds: str) -> None:
    """While it runs, and across a start."""
    acts = (Act(1.0, "clock", (seconds,)), Act(1.0, "kill", ("3",)), Act(1.0, "clock", (seconds,)), Act(1.0, "start"))
    assert not lived(NOTE.only([*NOTE.acts, *acts])).wrong


def test_a_failure_is_shortened_to_what_it_needs() -> None:
    """Of sixteen acts the two that make it fail."""
    acts = [Act(1.0, "press", (str(number),)) for number in range(16)]

    def live(life: Life) -> Outcome:
        needed = {acts[3], acts[11]} <= {*life.acts}
        return Outcome(life, "WrongError: notes" if needed else "")

    assert shrunk(live(NOTE.only(acts)), live).life.acts == (acts[3], acts[11])
