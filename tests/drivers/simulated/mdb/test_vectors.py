"""The simulated MDB devices against the vectors: every request answered, every answer and event byte for byte."""

import pytest

from drivers.simulated.mdb import codes
from drivers.simulated.mdb.bill_validator import BillHabits, SimulatedMdbBills
from drivers.simulated.mdb.coin_changer import ChangerHabits, SimulatedChanger
from drivers.simulated.mdb.peripheral import Identity
from tests.rigs.mdb_host import MdbHost
from tests.rigs.vectors import vectors

ROWS = list(vectors("mdb.tsv"))


def block(kind: str, device: str, name: str) -> str:
    """A block of the vectors without its checksum."""
    (value,) = [row[3] for row in ROWS if row[:3] == [kind, device, name]]
    return value[:-3] if kind in {"request", "answer"} else value


def cf7900(stock: dict[int, int] | None = None) -> SimulatedChanger:
    """The changer of the vectors: 5 cents a unit, six coins, four tubes."""
    return SimulatedChanger(
        values_cents=(5, 10, 20, 50, 100, 200),
        tubed_cents=(5, 10, 20, 50),
        stock=stock if stock is not None else {5: 10, 10: 50, 20: 11, 50: 20},
        identity=Identity(manufacturer="MEI", serial=42, model="CF7900MDB", version=0x0127),
        habits=ChangerHabits(scaling_cents=5),
    )


def bills(**habits: object) -> SimulatedMdbBills:
    """A validator whose notes nobody watches."""
    return SimulatedMdbBills(returned=print, stacked=print, habits=BillHabits(**habits))  # type: ignore[arg-type]


@pytest.mark.parametrize("device", ["changer", "validator"])
async def test_every_request_of_the_vectors_is_understood(device: str) -> None:
    """None is met with silence, once the optional features are on."""
    host = await MdbHost(cf7900(), bills(level=2)).open()
    await host.ask(block("request", "changer", "EXPANSION FEATURE ENABLE, first three"))
    unheard = []
    for row in ROWS:
        if row[:2] != ["request", device] or "RESET" in row[2]:
            continue
        while device == "changer" and 0x02 in await host.coins():
            pass
        if await host.ask(row[3][:-3]) == "NACK":
            unheard.append(row[2])
        if "FEATURE ENABLE" in row[2]:
            await host.ask(block("request", "changer", "EXPANSION FEATURE ENABLE, first three"))
    assert unheard == []


async def test_a_changer_answers_byte_for_byte() -> None:
    """Set-up, identification, diagnosis, tubes: one full, one that fails."""
    changer = cf7900({5: 10, 10: 50})
    host = await MdbHost(changer).open()

    async def answers(request: str, answer: str) -> None:
        wanted = bytes.fromhex(block("answer", "changer", answer))
        assert await host.data(block("request", "changer", request)) == wanted

    await answers("POLL", "POLL, was reset")
    await answers("SETUP", "SETUP, CF7900 in euro")
    await answers("EXPANSION IDENTIFICATION", "IDENTIFICATION, CF7900")
    await host.ask(block("request", "changer", "COIN TYPE, all"))
    await answers("EXPANSION DIAGNOSTIC STATUS", "DIAGNOSTIC, fully operational")
    changer.tubes.counted[1] = changer.tubes.held[1] = 60
    assert await host.tubes() == (1 << 1, [10, 60, *[0] * 14])
    changer.tubes.fill(1, -10)
    changer.troubles()["tube_sensor"](3)
    await answers("TUBE STATUS", "TUBE STATUS, type 2 fails")
    await host.ask(block("request", "changer", "EXPANSION FEATURE ENABLE, alternative payout"))
    changer.tubes.fill(3, 1)
    changer.troubles()["tube_sensor"](0)
    await host.coins()
    assert await host.ask("0F 02 0E") == "ACK"
    assert (await host.coins())[0] == 0x02
    while 0x02 in await host.coins():
        assert await host.ask("0F 03") == "ACK"
    paid = (await host.data("0F 03"))[:4]
    assert paid == bytes.fromhex(block("answer", "changer", "PAYOUT STATUS, two of type 1 and one of type 3"))


async def test_a_changers_events_are_those_of_the_vectors() -> None:
    """A coin to its tube, one to the cash box with the lever after it, a reject, coins by hand, slugs."""
    changer = cf7900()
    host = await MdbHost(changer).open()
    await host.coins()
    await host.ask(block("request", "changer", "COIN TYPE, all"))
    changer.insert(20)
    await host.pause(1)
    assert (await host.data("0B")).hex(" ").upper() == block("answer", "changer", "POLL, type 2 to its tube, 12 there")
    changer.insert(200)
    await host.pause(1)
    changer.press_lever()
    wanted = block("answer", "changer", "POLL, type 5 to the cash box, then escrow lever")
    assert (await host.data("0B")).hex(" ").upper() == wanted
    changer.dispense_by_hand(10, 2)
    changer.slug()
    assert (await host.data("0B")).hex(" ").upper() == f"A1 30 {block('poll', 'changer', 'SLUGS, one')}"
    await host.ask(block("request", "changer", "COIN TYPE, none"))
    changer.tubes.fill(1, 2)
    changer.insert(10)
    assert (await host.data("0B")).hex(" ").upper() == block("poll", "changer", "REJECT, type 1, 50 there")


async def test_a_validator_answers_byte_for_byte() -> None:
    """Reset, disabled, in escrow, stacked, the stacker's count, identification."""
    device = bills()
    device.identity = Identity(manufacturer="JCM", serial=7, model="DBV-301", version=0x0100)
    host = await MdbHost(device).open()
    reset = bytes.fromhex(block("answer", "validator", "POLL, was reset"))
    disabled = bytes.fromhex(block("answer", "validator", "POLL, disabled"))
    assert await host.data("33") == disabled + reset
    assert await host.data("33") == disabled
    await host.ask(block("request", "validator", "BILL TYPE, all with escrow"))
    assert await host.data("33") == b""
    device.insert(1000)
    await host.pause(1)
    assert await host.data("33") == bytes.fromhex(block("answer", "validator", "POLL, type 1 in escrow"))
    await host.ask(block("request", "validator", "ESCROW, stack"))
    await host.pause(1)
    assert await host.data("33") == bytes.fromhex(block("answer", "validator", "POLL, type 1 stacked"))
    device.in_stacker = 5
    assert await host.data("36") == bytes.fromhex(block("answer", "validator", "STACKER, 5 bills"))
    device.in_stacker = 300
    assert await host.data("36") == bytes.fromhex(block("answer", "validator", "STACKER, full with 300"))
    assert await host.data("37 00") == bytes.fromhex(block("answer", "validator", "IDENTIFICATION 1"))


def test_every_status_has_the_byte_of_the_vectors() -> None:
    """The names and bytes of 5.3 and 6.3, and the blocks' checksum."""
    for device, statuses in (("changer", codes.ChangerStatus), ("validator", codes.BillStatus)):
        known = {
            int(row[3], 16)
            for row in ROWS
            if row[:2] == ["poll", device] and row[3].startswith("0") and len(row[3]) == 2
        }
        assert {int(status) for status in statuses} == known
    named = {row[3] for row in ROWS if row[0] == "diagnostic"}
    assert {f"{code >> 8:02X} {code & 255:02X}" for code in codes.Diagnosis} <= named
    for row in ROWS:
        if row[0] in {"request", "answer"}:
            whole = bytes.fromhex(row[3])
            assert codes.sealed(whole[:-1]) == whole
            assert codes.opened(whole) == whole[:-1]


async def test_the_lines_of_the_bridge_are_those_of_the_vectors() -> None:
    """Each line of the host is understood; the answers have the layouts of the documentation."""
    host = await MdbHost(cf7900(), bills()).open()
    for name, line in (("VERSION", "V"), ("HARDWARE", "H")):
        assert (await host.say(line)).split(",")[0] == block("line", "bridge", name).split(",")[0]
        assert (await host.say(line)).count(",") == 2
    asked = [row[3] for row in ROWS if row[:2] == ["line", "host"]]
    for line in asked:
        heard = await host.say(line, wait_s=1.5)
        silent = line in {"F,RESET", "R,RESET"}
        assert (heard == "silence") == silent, line
        if line in {"M,0", "F,RESET"}:
            assert await host.say("M,1") == "m,ACK"
        if line in {"R,RESET", "R,08"}:
            await host.pause(1)
