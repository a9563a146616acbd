"""What MDB's bytes mean, held against the vectors that are kept with the tests."""

import random

import pytest

from drivers.mdb import protocol
from drivers.mdb.protocol import (
    Bill,
    BillState,
    ByHand,
    Coin,
    CoinState,
    Deposited,
    Expansion,
    Moved,
    Route,
    Routing,
    Slugs,
    Tried,
)
from tests.rigs.vectors import vectors

ROWS = [row for row in vectors("mdb.tsv") if row[0] in {"request", "answer", "poll"}]


def vector(kind: str, device: str, name: str) -> bytes:
    """Return a vector's bytes, without their checksum where the block has one."""
    (value,) = [row[3] for row in ROWS if row[:3] == [kind, device, name]]
    data = bytes.fromhex(value)
    if kind == "poll":
        return data
    assert sum(data[:-1]) & 0xFF == data[-1]
    return data[:-1]


@pytest.mark.parametrize(
    ("device", "name", "block"),
    [
        ("changer", "RESET", [Coin.RESET]),
        ("changer", "SETUP", [Coin.SETUP]),
        ("changer", "TUBE STATUS", [Coin.TUBE_STATUS]),
        ("changer", "POLL", [Coin.POLL]),
        ("changer", "COIN TYPE, none", [Coin.COIN_TYPE, 0, 0, 0, 0]),
        ("changer", "DISPENSE, one of type 3", [Coin.DISPENSE, 1 << 4 | 3]),
        ("changer", "EXPANSION IDENTIFICATION", [Coin.EXPANSION, Expansion.IDENTIFICATION]),
        ("changer", "EXPANSION FEATURE ENABLE, alternative payout", [Coin.EXPANSION, 1, 0, 0, 0, 1]),
        ("changer", "EXPANSION PAYOUT, 20 units", [Coin.EXPANSION, Expansion.PAYOUT, 20]),
        ("changer", "EXPANSION PAYOUT STATUS", [Coin.EXPANSION, Expansion.PAYOUT_STATUS]),
        ("changer", "EXPANSION PAYOUT VALUE POLL", [Coin.EXPANSION, Expansion.PAYOUT_VALUE_POLL]),
        ("validator", "RESET", [Bill.RESET]),
        ("validator", "SETUP", [Bill.SETUP]),
        ("validator", "POLL", [Bill.POLL]),
        ("validator", "BILL TYPE, all with escrow", [Bill.BILL_TYPE, *protocol.mask(frozenset(range(16))) * 2]),
        ("validator", "ESCROW, return", [Bill.ESCROW, *protocol.RETURN]),
        ("validator", "ESCROW, stack", [Bill.ESCROW, *protocol.STACK]),
        ("validator", "STACKER", [Bill.STACKER]),
        ("validator", "EXPANSION IDENTIFICATION 1", [Bill.EXPANSION, Expansion.IDENTIFICATION]),
    ],
)
def test_requests(device: str, name: str, block: list[int]) -> None:
    """The blocks that the drivers send."""
    assert vector("request", device, name) == bytes(block)


def test_a_changers_set_up() -> None:
    """In euro, and in a currency that is not known here; pesos have no decimals."""
    found = protocol.coin_setup(vector("answer", "changer", "SETUP, CF7900 in euro"))
    assert (found.level, found.currency, found.unit_cents) == (3, "EUR", 5)
    assert found.values_cents == {0: 5, 1: 10, 2: 20, 3: 50, 4: 100, 5: 200}
    assert found.tubed == frozenset(range(4))
    pesos = protocol.coin_setup(vector("answer", "changer", "SETUP, pesos"))
    assert (pesos.currency, pesos.tubed) == ("1170", frozenset({0, 2, 4, 6}))
    assert pesos.values_cents[4] == 50_000


def test_a_validators_set_up() -> None:
    """Sixteen values, or as many as there are."""
    euro = protocol.bill_setup(vector("answer", "validator", "SETUP, level 2 in euro"))
    assert (euro.level, euro.currency, euro.capacity, euro.has_escrow) == (2, "EUR", 300, True)
    assert euro.values_cents == {0: 500, 1: 1000, 2: 2000, 3: 5000}
    four = protocol.bill_setup(vector("answer", "validator", "SETUP, four values sent"))
    assert (four.currency, four.values_cents) == ("1156", {0: 100, 1: 500, 2: 1000, 3: 2000})


def test_who_they_are() -> None:
    """Maker, model, serial number, software, features."""
    changer = protocol.identification(vector("answer", "changer", "IDENTIFICATION, CF7900"))
    assert (changer.maker, changer.model, changer.number, changer.features) == ("MEI", "CF7900MDB", 42, 7)
    validator = protocol.identification(vector("answer", "validator", "IDENTIFICATION 1"))
    assert str(validator) == "JCM DBV-301, serial number 000000000007, software 0100"
    assert protocol.identification(vector("answer", "validator", "IDENTIFICATION 2")).number == 7


def test_tubes_and_stacker() -> None:
    """Full, failing, and how many."""
    full = protocol.tubes(vector("answer", "changer", "TUBE STATUS, type 1 full"))
    assert (full.counts[:3], full.full, full.defective) == ((10, 50, 0), frozenset({1}), frozenset())
    assert protocol.tubes(vector("answer", "changer", "TUBE STATUS, type 2 fails")).defective == frozenset({2})
    assert protocol.stacker(vector("answer", "validator", "STACKER, 5 bills")) == (5, False)
    assert protocol.stacker(vector("answer", "validator", "STACKER, full with 300")) == (300, True)


def test_what_a_changer_reports() -> None:
    """Several events in one answer, in their order."""
    answer = vector("answer", "changer", "POLL, type 5 to the cash box, then escrow lever")
    assert protocol.coin_events(answer) == [Deposited(Route.CASH_BOX, 5, 0), CoinState.ESCROW_REQUEST]
    assert protocol.coin_events(vector("poll", "changer", "TUBES, type 2, 12 there")) == [Deposited(Route.TUBES, 2, 12)]
    assert protocol.coin_events(vector("poll", "changer", "REJECT, type 1, 50 there")) == [
        Deposited(Route.REJECT, 1, 50)
    ]
    assert protocol.coin_events(vector("poll", "changer", "MANUAL, two of type 1, 48 there")) == [ByHand(2, 1, 48)]
    assert protocol.coin_events(vector("poll", "changer", "SLUGS, thirty-one")) == [Slugs(31)]


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("CHANGER PAYOUT BUSY", CoinState.PAYOUT_BUSY),
        ("NO CREDIT", CoinState.NO_CREDIT),
        ("DEFECTIVE TUBE SENSOR", CoinState.TUBE_SENSOR),
        ("DOUBLE ARRIVAL", CoinState.DOUBLE_ARRIVAL),
        ("ACCEPTOR UNPLUGGED", CoinState.UNPLUGGED),
        ("TUBE JAM", CoinState.TUBE_JAM),
        ("ROM CHECKSUM ERROR", CoinState.CHECKSUM),
        ("COIN ROUTING ERROR", CoinState.ROUTING),
        ("CHANGER BUSY", CoinState.BUSY),
        ("CHANGER WAS RESET", CoinState.RESET),
        ("COIN JAM", CoinState.COIN_JAM),
        ("POSSIBLE CREDITED COIN REMOVAL", CoinState.CREDIT_REMOVAL),
    ],
)
def test_a_changers_states(name: str, state: CoinState) -> None:
    """One byte each."""
    assert protocol.coin_events(vector("poll", "changer", name)) == [state]


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("STACKED, type 15", Moved(Routing.STACKED, 15)),
        ("ESCROW, type 1", Moved(Routing.ESCROW, 1)),
        ("RETURNED, type 2", Moved(Routing.RETURNED, 2)),
        ("DISABLED BILL REJECTED, type 3", Moved(Routing.REJECTED_DISABLED, 3)),
        ("INPUT WHILE DISABLED, two", Tried(2)),
        ("DEFECTIVE MOTOR", BillState.MOTOR),
        ("SENSOR PROBLEM", BillState.SENSOR),
        ("VALIDATOR BUSY", BillState.BUSY),
        ("ROM CHECKSUM ERROR", BillState.CHECKSUM),
        ("VALIDATOR JAMMED", BillState.JAMMED),
        ("VALIDATOR WAS RESET", BillState.RESET),
        ("BILL REMOVED", BillState.REMOVED),
        ("CASH BOX OUT OF POSITION", BillState.BOX_OUT),
        ("VALIDATOR DISABLED", BillState.DISABLED),
        ("INVALID ESCROW REQUEST", BillState.INVALID_ESCROW),
        ("BILL REJECTED", BillState.REJECTED),
        ("POSSIBLE CREDITED BILL REMOVAL", BillState.CREDIT_REMOVAL),
    ],
)
def test_what_a_validator_reports(name: str, event: object) -> None:
    """One byte each."""
    assert protocol.bill_events(vector("poll", "validator", name)) == [event]


@pytest.mark.parametrize("code", ["1978", "0049", "0351"])
def test_the_euro_is_a_currency_or_a_country(code: str) -> None:
    """By ISO 4217 or by the telephone."""
    assert protocol.currency_of(bytes.fromhex(code)) == "EUR"


@pytest.mark.parametrize("code", ["1999", "2978", "1ABC", "0999"])
def test_a_code_that_is_not_known_is_shown(code: str) -> None:
    """Nobody guesses."""
    assert protocol.currency_of(bytes.fromhex(code)) == code.lower()


def test_an_answer_that_cannot_be_read_is_not_read_in_part() -> None:
    """Cut within an event, too long, too short."""
    for read, data in (
        (protocol.coin_events, b"\x52"),
        (protocol.coin_events, bytes(17)),
        (protocol.bill_events, bytes(17)),
        (protocol.coin_setup, bytes(7)),
        (protocol.bill_setup, bytes(28)),
        (protocol.stacker, bytes(3)),
        (protocol.tubes, bytes(19)),
        (protocol.identification, bytes(30)),
    ):
        with pytest.raises(ValueError, match=r"bytes|ends"):
            read(data)


def test_any_bytes_are_read_or_refused() -> None:
    """No other exception than the one that is documented."""
    noise = random.Random(42)
    reads = (protocol.coin_events, protocol.bill_events, protocol.coin_setup, protocol.bill_setup)
    for _ in range(20_000):
        data = noise.randbytes(noise.randrange(40))
        for read in (*reads, protocol.tubes, protocol.stacker, protocol.identification):
            try:
                read(data)  # type: ignore[operator]
            except ValueError:
                continue
