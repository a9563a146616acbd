"""A simulated NV200 with a SMART Payout: notes that it keeps, pays, and has under way when the power is cut."""

import asyncio

import pytest

from drivers.simulated.note_path import Paper
from drivers.simulated.ssp.bill_validator import SspHabits
from drivers.simulated.ssp.payout_store import StoreHabits
from drivers.simulated.ssp.recycler import CAPACITY, HABITS, SimulatedRecycler
from tests.rigs.ssp_host import SspHost

EURO = "45 55 52"
PAY_15 = f"33 DC 05 00 00 {EURO} 58"
POLL, POLL_ACK, ACK = "07", "56", "57"


class Recycler(SspHost):
    """A recycler under power with `stored` notes, agreed upon a key, at protocol 6, taking and keeping every note."""

    def __init__(self, stored: dict[int, int], store: StoreHabits | None = None, habits: SspHabits = HABITS) -> None:
        self.out: list[int] = []
        self.stacked: list[Paper] = []
        self.returned: list[Paper] = []
        self.recycler = SimulatedRecycler(
            returned=self.returned.append,
            stacked=self.stacked.append,
            note_out=self.out.append,
            stored=stored,
            store_habits=store,
            habits=habits,
        )
        super().__init__(self.recycler, 0)

    async def ready(self) -> "Recycler":
        """Switch on and set up."""
        await self.open()
        return await self.again()

    async def again(self) -> "Recycler":
        """Set up once more."""
        await self.negotiate()
        for words in ("06 06", "02 FF FF", "0A", "5C"):
            assert await self.asked(words) == "F0"
        return self

    async def polls(self, seconds: float, words: str = POLL) -> str:
        """Poll every 100 ms; return all that was answered, in one line."""
        heard = ""
        for _ in range(round(seconds * 10)):
            heard += " " + (await self.asked(words))[3:]
            await asyncio.sleep(0.08)
        return heard


async def test_a_note_is_kept_where_its_route_says_so() -> None:
    """Credit and stored (DB) with route 0, credit and stacked (EB) with route 1; neither is the machine's twice."""
    recycler = await Recycler({}).ready()
    assert await recycler.asked(f"3B 00 E8 03 00 00 {EURO}") == "F0"
    assert await recycler.asked(f"3C E8 03 00 00 {EURO}") == "F0 00"
    recycler.recycler.insert(1000)
    assert "EE 02 DB" in await recycler.polls(3)
    recycler.recycler.insert(500)
    assert "EE 01 EB" in await recycler.polls(3)
    assert (recycler.stacked, recycler.recycler.store.payable()[1000]) == ([500], 1)
    assert await recycler.asked(f"35 E8 03 00 00 {EURO}") == "F0 01 00"


@pytest.mark.parametrize("why", ["disabled", "full"])
async def test_a_note_that_cannot_be_kept_is_stacked(why: str) -> None:
    """A payout that is disabled (5B), and a store without room."""
    recycler = await Recycler({1000: CAPACITY if why == "full" else 1}).ready()
    if why == "disabled":
        assert await recycler.asked("5B") == "F0"
        assert await recycler.asked(PAY_15) == "F5 04"
    recycler.recycler.insert(1000)
    assert "EE 02 EB" in await recycler.polls(3)
    assert recycler.stacked == [1000]


async def test_a_payout_of_notes() -> None:
    """Dispensing, dispensed until it is acknowledged; no note is taken meanwhile."""
    recycler = await Recycler({500: 2, 1000: 1}).ready()
    assert await recycler.asked(PAY_15) == "F0"
    recycler.recycler.insert(2000)
    assert recycler.returned == [2000]
    heard = await recycler.polls(4, POLL_ACK)
    assert f"DA 01 E8 03 00 00 {EURO}" in heard
    assert heard.endswith(f" D2 01 DC 05 00 00 {EURO}")
    assert [await recycler.asked(ACK), await recycler.asked(POLL_ACK)] == ["F0", "F0"]
    assert recycler.out == [1000, 500]


async def test_the_unit_is_a_smart_payout() -> None:
    """Unit type 6, before a key, too."""
    recycler = Recycler({})
    await recycler.open()
    await recycler.sync()
    assert (await recycler.plain(0x05))[:2] == b"\xf0\x06"
    await recycler.again()
    assert (await recycler.asked("05"))[:5] == "F0 06"
    assert await recycler.asked("4F") == "F0 00 00 01 06 00 01"


@pytest.mark.parametrize("fate", ["back", "out", "cashbox"])
@pytest.mark.parametrize("counts", [False, True])
async def test_a_cut_at_every_moment_of_a_payout(fate: str, counts: bool) -> None:  # noqa: FBT001
    """DC, and what became of the note under way: each note is in the store, out, or in the cash box, and counted so."""
    habits = StoreHabits(grip_s=0.2, exit_s=0.3, after_cut=fate, counts_at_reset=counts)
    seen = set()
    for moment in range(0, 1100, 50):
        recycler = await Recycler({500: 2, 1000: 1}, habits).ready()
        await recycler.asked(POLL)
        assert await recycler.asked(PAY_15) == "F0"
        await asyncio.sleep(moment / 1000)
        paying = recycler.recycler.store.operation is not None
        recycler.device.power(on=False)
        await asyncio.sleep(1)
        recycler.device.power(on=True)
        await recycler.again()
        heard = await recycler.asked(POLL)
        store = recycler.recycler.store
        held = sum(value * count for value, count in store.held.items())
        boxed = sum(note for note in recycler.stacked if isinstance(note, int))
        assert held + sum(recycler.out) + boxed == 2000
        assert store.levels == store.held
        assert ("DC 01" in heard) == paying
        if not paying:
            continue
        told = int.from_bytes(bytes.fromhex(heard.split("DC 01 ")[1][:11]), "little")
        after = heard.split("DC 01 ")[1][33:].strip()
        seen.add(after[:2])
        later = {"CD": int.from_bytes(bytes.fromhex(after[3:14]), "little")}.get(after[:2], 0)
        assert told + (0 if counts else later) == sum(recycler.out)
    assert {"back": "", "out": "CD", "cashbox": "CA"}[fate] in seen


async def test_a_credit_and_a_payout_survive_a_repeated_packet() -> None:
    """The host's retry of a payout pays once, of a poll hears the same credit."""
    recycler = await Recycler({1000: 3}).ready()
    packet = recycler.packet(recycler.enciphered(bytes.fromhex(f"33 E8 03 00 00 {EURO} 58")))
    assert await recycler.say(packet) == await recycler.say(packet)
    await asyncio.sleep(4)
    assert recycler.out == [1000]


async def test_a_hand_puts_in_as_many_notes_as_fit() -> None:
    """Eighty in all; a hand that takes some out takes the dearest."""
    recycler = SimulatedRecycler(
        returned=lambda _paper: None,
        stacked=lambda _paper: None,
        note_out=lambda _cents: None,
        stored={2000: 1},
        value_cents=500,
    )
    recycler.stock += 400
    assert (recycler.stock, recycler.store.held[500]) == (CAPACITY, CAPACITY - 1)
    recycler.stock -= 1
    assert recycler.store.held == {500: CAPACITY - 1, 1000: 0, 2000: 0, 5000: 0}
