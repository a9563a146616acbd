"""Runs a life to its quiet end: the acts, then everything is mended, then books and devices are compared."""

import asyncio
import hashlib
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from controller.books.audit import Proof, audit
from controller.faults import Stops, explain
from controller.journal.errors import JournalStorageError
from controller.journal.money import note_in_hand
from controller.journal.open_items import OpenItem, open_items
from controller.journal.payouts import open_payout
from controller.journal.periods import lifetime
from controller.journal.transaction import Transaction
from controller.machine.conditions import Conditions
from controller.machine.states import State
from tests.rigs.journal_rows import Books
from tests.rigs.sas_causes import Rows
from tests.rigs.virtual_time import VirtualTimeLoop
from tests.swarm.disk import WELL
from tests.swarm.errors import WrongError
from tests.swarm.hands import ACTS, drawn, drawn_near, start
from tests.swarm.script import Life
from tests.swarm.tally import compare
from tests.swarm.world import World

QUIET_S = 400.0
"""By then nothing that a device or a driver waits for is still awaited."""
ROOM_S = 30.0
"""Within this it goes on once a full disk has room again."""
LOOK_S = 10.0
"""How often it is looked whether something is still under way."""
NOTE_CENTS, COIN_CENTS = 500, 100
"""What is put in at the end, to see whether it is taken, `OFFERS` times at most: a device may just have come back."""
OFFERS = 6
STAKE_CENTS = 500
"""With this credit every bet of the cabinet's game can be lowered to one that is played."""
PRESSES = 12
"""How often a player who wants to play presses a button until a round is staked."""
PAGES = {State.PAYTABLE, State.MENU, State.SETTINGS, State.HISTORY, State.REPLAY, State.AUTOSPIN, State.SESSION}
"""What COLLECT closes."""
PLACES = {"bills": {"bill_validator"}, "coins": {"coin_acceptor"}, "payer": {"coin_acceptor", "hopper"}}
"""The places of faults that say why a part takes nothing."""
SEAL = re.compile(r'"pin":"[0-9a-f]{64}"')
TRIES = 2
"""How often a player tries a ticket that comes back: a validator may have misread it."""


class Outcome:
    """How a life ended: what did not hold, if anything, the rows that befell it, and how long it took.

    `digest` is that of its ledger, but for the salted seals of PINs: a seed lives the same life each time.
    """

    def __init__(
        self,
        life: Life,
        wrong: str,
        befallen: frozenset[tuple[str, str]] = frozenset(),
        seconds: float = 0.0,
        digest: str = "",
    ) -> None:
        self.life = life
        self.wrong = wrong
        self.befallen = befallen
        self.seconds = seconds
        self.digest = digest

    def __repr__(self) -> str:
        return f"<Outcome {self.life.seed} {self.wrong or 'well'}>"


def lived(life: Life) -> Outcome:
    """Live it in a folder of its own."""
    folder = Path(tempfile.mkdtemp(prefix="swarm"))
    try:
        with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
            return runner.run(_live(folder, life))
    finally:
        shutil.rmtree(folder)


def life_of(seed: int) -> Life:
    """Return the life of a seed."""
    return _on_virtual_time(partial(drawn, seed))


def life_near(
    seed: int, cabinets: Sequence[tuple[str, str]], parts: Collection[str], troubles: Collection[str]
) -> Life:
    """Return a short life of trouble near these parts, as `drawn_near` draws it."""
    return _on_virtual_time(partial(drawn_near, seed, cabinets, parts, troubles))


def _on_virtual_time(draw: Callable[[], Life]) -> Life:
    async def draws() -> Life:
        return draw()

    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(draws())


def seed_lived(seed: int) -> Outcome:
    """Live the life of a seed."""
    return lived(life_of(seed))


async def _live(folder: Path, life: Life) -> Outcome:
    world = World(folder, life)
    began = asyncio.get_running_loop().time()
    wrong = ""
    try:
        await world.start()
        if world.host is not None:
            world.host.begin()
        for one in life.acts:
            await asyncio.sleep(one.after_s)
            await ACTS[one.name](world, *one.words)
            world.mind()
        await _mend(world)
        await _cash(world)
        if world.host is not None:
            await world.host.agree(partial(_rows, world))
        await _judge(world)
    except Exception as error:  # noqa: BLE001 - it is the outcome
        wrong = f"{type(error).__name__}: {error}"
    finally:
        if world.alive:
            await world.die(computer=False)
        if world.host is not None:
            await world.host.end()
    seconds = asyncio.get_running_loop().time() - began
    return Outcome(life, wrong, frozenset(world.befallen), seconds, _digest(Path(world.config.cabinet.journal)))


def _digest(journal: Path) -> str:
    whole = hashlib.sha256()
    with closing(sqlite3.connect(journal)) as books:
        for row in books.execute("SELECT seq, kind, credit_delta, meters, data FROM ledger ORDER BY seq"):
            whole.update(SEAL.sub("", repr(row)).encode())
    return whole.hexdigest()


async def _mend(world: World) -> None:
    """End every trouble, let all come to rest, and turn the keys that clear faults."""
    for line in world.lines.values():
        line.misbehaviour.forget()
        line.plug()
    for part in world.parts.values():
        part.mend()
    for name in world.config.pins.doors:
        world.door(name, is_open=False)
    for name in world.config.pins.keys:
        world.key(name, is_on=False)
    world.devices_power(on=True)
    world.disk.state = WELL
    await start(world)
    await _restart(world)
    await _rest(world, keys_follow=True)
    for key in ("attendant", "technician", "attendant"):
        if _conditions(world).overlay is None and not _conditions(world).faults:
            return
        await world.turn_key(key)
        await _rest(world, keys_follow=True)
    await _rest(world, keys_follow=False)


async def _restart(world: World) -> None:
    """Let a program go on that a full disk has locked; one that another error of its disk has locked is restarted."""
    assert world.supervisor is not None
    lock = world.supervisor.machine.journal.lock
    if not isinstance(lock, JournalStorageError):
        return
    if lock.full_at is None:
        await world.die(computer=False)
        await world.start_program()
        return
    locked = world.supervisor
    for _ in range(int(ROOM_S)):
        await asyncio.sleep(1.0)
        world.mind()
        if world.supervisor is not locked:
            return
    raise WrongError("its disk has room again, and it does not go on")


async def _cash(world: World) -> None:
    """Have the attendant pay what waits for him, then push in every ticket that is held, and those that come back."""
    if not world.prints:
        return
    assert world.supervisor is not None
    if await world.supervisor.journal.do(open_payout) is not None:
        await world.turn_key("attendant")
        await _rest(world, keys_follow=False)
    for _ in range(TRIES * len(world.held)):
        world.ticket()
        await asyncio.sleep(LOOK_S)
        await _rest(world, keys_follow=False)


async def _rest(world: World, *, keys_follow: bool) -> None:
    """Let time pass until no note, ticket or payout is under way and no device is awaited.

    If `keys_follow`, faults are not waited for whose causes are over: a key clears them.
    """
    for _ in range(int(QUIET_S / LOOK_S)):
        await asyncio.sleep(LOOK_S)
        world.mind()
        assert world.supervisor is not None
        faults = _conditions(world).faults
        cleared_by_key = keys_follow and faults and not any(fault.present for fault in faults)
        if await world.supervisor.journal.do(_under_way):
            continue
        if cleared_by_key or _conditions(world).overlay is None:
            return


async def _rows(world: World) -> Rows:
    """Return what asks the books of now."""
    return Books(Path(world.config.cabinet.journal)).rows


async def books_of(world: World) -> tuple[Proof, Sequence[OpenItem]]:
    """Return the proof of the books and their open items."""
    assert world.supervisor is not None
    items = await world.supervisor.journal.do(open_items)
    return audit(Path(world.config.cabinet.journal), lambda _what, _done, _total: None), items


def _under_way(tx: Transaction) -> bool:
    """Return whether a note or a payout is on its way; a hand-pay waits for the attendant."""
    payout = open_payout(tx)
    return note_in_hand(tx) is not None or (payout is not None and payout.kind != "hand_pay")


def _conditions(world: World) -> Conditions:
    assert world.supervisor is not None
    return world.supervisor.machine.conditions


async def _judge(world: World) -> None:
    """Hold the books against the devices, and see that the cabinet serves again."""
    assert world.supervisor is not None
    machine = world.supervisor.machine
    if machine.journal.lock is not None:
        raise WrongError(f"locked: {machine.journal.lock}")
    compare(world, *await books_of(world))
    stuck = [one.code for one in machine.conditions.faults if one.present and Stops.PAYOUT in explain(one.code).stops]
    if stuck:
        raise WrongError(f"no key clears {stuck}")
    if machine.conditions.overlay is not None:
        raise WrongError(f"it does not serve again: {machine.conditions.overlay} {machine.conditions.faults}")
    await _take(world)
    await _play(world)


async def _play(world: World) -> None:
    """See that a round is staked, where there is credit and nothing waits for the attendant."""
    assert world.supervisor is not None
    if world.credit < STAKE_CENTS or await world.supervisor.journal.do(open_payout) is not None:
        return
    before = await _games(world)
    for _ in range(PRESSES):
        await world.tap("collect" if world.state in PAGES else "spin")
        await asyncio.sleep(LOOK_S)
        world.mind()
        if await _games(world) != before or Stops.PLAY in _conditions(world).stopped:
            return
    raise WrongError(f"nothing is staked by SPIN: {world.state} with credit {world.credit}")


async def _games(world: World) -> int:
    assert world.supervisor is not None
    return await world.supervisor.journal.do(lambda tx: lifetime(tx).get("games", 0))


async def _take(world: World) -> None:
    """See that a note and a coin are taken again, unless a fault says why not: no device stays shut without a word."""
    assert world.supervisor is not None
    if await world.supervisor.journal.do(open_payout) is not None:
        return  # the attendant is awaited
    for what, stop, insert in (
        ("notes", Stops.NOTES, partial(world.note, NOTE_CENTS)),
        ("coins", Stops.COINS, partial(world.coin, COIN_CENTS)),
    ):
        kept = world.kept(what)
        for _ in range(OFFERS):
            faults = _conditions(world).faults
            spoken = any(fault.present and fault.place in PLACES[world.place(what)] for fault in faults)
            if stop in _conditions(world).stopped or spoken or world.kept(what) != kept:
                break
            insert()
            await asyncio.sleep(LOOK_S)
            await _rest(world, keys_follow=False)
        else:
            if world.kept(what) == kept:
                raise WrongError(f"no {what} are taken, and nothing says why: {faults}")
