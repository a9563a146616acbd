"""U.15 shows what a recycler holds and has it moved into the cash box; U.3 expects only what is in the cash box."""

from pathlib import Path

from msgspec.structs import replace

from controller.books.audit import audit
from controller.journal import money, stored_money
from controller.journal.actor import Role
from controller.journal.transaction import Transaction
from drivers.capabilities import StockCount
from drivers.cctalk.hopper_wire import LIFETIME_SPAN
from tests.rigs.machine import PlainHopper, Rig
from tests.rigs.service_menu import Hand
from tests.rigs.virtual_cabinet import configuration

SERIAL, UNIT = 77, 500


def recycler(folder: Path, *, refills: bool = True) -> Rig:
    """A machine whose hopper is its validator's recycler."""
    config = configuration(folder)
    assert config.hopper is not None
    assert config.bill_validator is not None
    config = replace(
        config,
        bill_validator=replace(config.bill_validator, protocol="ssp"),
        hopper=replace(config.hopper, port=config.bill_validator.port, protocol="ssp", coin_value_cents=UNIT),
        service=replace(config.service, attendant_refills=refills),
    )
    return Rig(folder, hopper=PlainHopper(), config=config)


async def holds(rig: Rig, **pieces: int) -> None:
    """Have the store counted with so many notes of each value (`n500`)."""
    held = {int(name[1:]): count for name, count in pieces.items()}
    units = sum(value * count for value, count in held.items()) // UNIT
    count = StockCount(serial=SERIAL, lifetime=-units % LIFETIME_SPAN, pieces=held)
    await rig.listener.stock_counted(count)


async def note(rig: Rig, cents: int) -> None:
    """Have a note credited that the recycler took."""

    def take(tx: Transaction) -> None:
        money.note_stacking(tx, cents)
        money.note_stacked(tx, cents, recycles=True)
        money.note_acknowledged(tx)

    await rig.journal.do(take)


async def owed(rig: Rig) -> int:
    """What the hard meter of the drop is owed or was given, in cents."""
    rows = await rig.rows("SELECT owed + given_units FROM hard_meters WHERE name = 'drop'")
    return int(str(rows[0][0])) if rows else 0


async def test_the_page_shows_and_moves_what_is_stored(tmp_path: Path) -> None:
    """By value; emptied after two confirmations, and then it is on its way, once."""
    async with recycler(tmp_path) as rig:
        await holds(rig, n500=2, n1000=1)
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("U.15")
        shown = [(row.label, row.count, row.cents) for row in hand.page.rows]
        assert shown[:3] == [("In the store", None, 2000), ("Notes of", 2, 500), ("Notes of", 1, 1000)]
        await hand.enter("Empty into the cash box")
        await hand.agree()
        assert hand.page.message == "It will be moved into the cash box"
        assert "On its way into the cash box" in [row.label for row in hand.page.rows]
        taken = await rig.listener.stock_counted(
            StockCount(serial=SERIAL, lifetime=-2 % LIFETIME_SPAN, pieces={1000: 1})
        )
        assert taken == (True, 0)
        done = StockCount(serial=SERIAL, lifetime=0, pieces={})
        await rig.listener.stock_moved(done, "")
        await rig.listener.stock_moved(done, "")
        assert await rig.meter("notes_unstored") == await owed(rig) == 2000
        assert len(await rig.events("store_moved")) == 1
        assert await rig.events("store_wanted") == [
            "Stored money to the cash box, wanted by the attendant: 2000 cents held, 0 cents kept"
        ]
        assert audit(rig.path, lambda *_: None).failures == []


async def test_a_float_is_kept(tmp_path: Path) -> None:
    """The amount typed, down to whole steps of the recycler."""
    async with recycler(tmp_path) as rig:
        await holds(rig, n500=2, n1000=1)
        hand = Hand(rig)
        await hand.technician()
        await hand.go("U.15")
        await hand.enter("Keep a float")
        await hand.type("1200")
        await hand.agree()
        store = await rig.journal.do(stored_money.store_of)
        assert store is not None
        assert store.keep == 2


async def test_reserved_for_the_technician(tmp_path: Path) -> None:
    """As the refill is, by `attendant_refills`."""
    async with recycler(tmp_path, refills=False) as rig:
        await holds(rig, n500=2)
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.enter("U")
        codes = [row.code for row in hand.page.rows]
        assert "U.3" in codes
        assert "U.15" not in codes


async def test_a_collection_expects_what_is_in_the_cash_box(tmp_path: Path) -> None:
    """Stored notes are named apart; the hard meter is never owed less than before."""
    async with recycler(tmp_path) as rig:
        await holds(rig)
        await note(rig, 1000)
        assert await owed(rig) == 0
        await holds(rig, n1000=1)
        await note(rig, 2000)
        assert await owed(rig) == 0
        await holds(rig, n1000=1)
        assert await owed(rig) == 2000
        hand = Hand(rig)
        await hand.technician()
        await hand.go("U.3")
        shown = {row.label: row.cents for row in hand.page.rows}
        assert (shown["Notes in"], shown["Expected in the cash box"]) == (3000, 2000)
        assert shown["In the store, not in the cash box"] == 1000


async def test_money_that_is_found_in_the_store_is_no_drop_before_it_leaves_it(tmp_path: Path) -> None:
    """A note of unknown fate that the store holds: paid by hand, it is drop when it comes into the cash box, once."""
    async with recycler(tmp_path) as rig:
        await holds(rig)
        await holds(rig, n2000=1)

        def found(tx: Transaction) -> None:
            more = stored_money.found(tx, 2000)
            tx.post("open_item", meters={"found_in": 2000, "hand_pay": 2000, **more})

        await rig.journal.do(found)
        assert await owed(rig) == 0
        await rig.journal.do(lambda tx: stored_money.want(tx, 0, "technician"))
        await rig.listener.stock_moved(StockCount(serial=SERIAL, lifetime=0, pieces={}), "")
        assert await owed(rig) == 2000


async def test_notes_that_a_hand_put_in_are_nobodys_drop(tmp_path: Path) -> None:
    """They leave the store as they came: no player gave them."""
    async with recycler(tmp_path) as rig:
        await holds(rig)
        await holds(rig, n2000=1)
        await rig.journal.do(lambda tx: stored_money.want(tx, 0, "technician"))
        await rig.listener.stock_moved(StockCount(serial=SERIAL, lifetime=0, pieces={}), "")
        assert (await owed(rig), await rig.meter("notes_unstored")) == (0, 0)
