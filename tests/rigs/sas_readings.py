"""Every figure that a host can read of a cabinet, held against the rows of its journal by plain SQL.

Polls and layouts are those of docs/sas.md and docs/protocols.md; which row is meant is what docs/host-port.md
promises. A credit is a cent here.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from tests.rigs.sas_fields import Values
from tests.rigs.sas_frames import POLLS
from tests.rigs.sas_host import Kind, SasHost

Rows = Callable[[str], Awaitable[Sequence[tuple[Any, ...]]]]

NOTE_POLLS = {
    0x31: 1, 0x32: 2, 0x33: 5, 0x34: 10, 0x35: 20, 0x36: 50, 0x37: 100, 0x38: 500, 0x39: 1000, 0x3A: 200, 0x3B: 25,
    0x3C: 2000, 0x3E: 2500,
}  # fmt: skip
"""Polls of one note's value, in whole units: the order of docs/host-port.md; 3D is a ticket's."""

NOT_PUBLIC = (0x21, 0x27, 0x28, 0x29, 0x3D, 0x50, 0x57, 0x6E, 0x70, 0x75, 0x83, 0x84, 0x85, 0x87, 0x8E, 0x8F, 0x9A)
"""Of polls that are sent as two bytes here, those that must be silence."""

ORDERS: Sequence[tuple[int, Mapping[str, object]]] = (
    (0x01, {}), (0x02, {}), (0x03, {}), (0x04, {}), (0x06, {}), (0x07, {}), (0x06, {}), (0x0A, {}), (0x0B, {}),
    (0x08, {"denominations": 0x10, "action": 0}), (0x08, {"denominations": 0xFFFFFF, "action": 0}),
    (0x09, {"game": 1, "enabled": 0}), (0x09, {"game": 1, "enabled": 1}),
    (0x0E, {"on": 1}), (0x0E, {"on": 0}),
)  # fmt: skip
"""What is only acknowledged, in an order that leaves the cabinet as it was."""

_SINCE = (
    "SELECT count(*) FROM ledger WHERE kind = 'stake' AND seq > (SELECT coalesce(max(seq), 0) FROM ledger WHERE {})"
)
_POWER = "kind = 'event' AND data ->> '$.code' = 'power_up'"
_DOOR = "kind = 'event' AND data ->> '$.code' = 'door_closed' AND data ->> '$.place' = 'main'"
_WON = "SELECT count(*) FROM rounds WHERE state = 'settled' AND win_cents {} 0"


class Readings:
    """What the journal says that a host must read."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self.meters: dict[str, int] = {}

    async def _one(self, sql: str) -> int:
        ((figure,),) = await self._rows(sql)
        return int(figure)

    def _meter(self, name: str) -> int:
        return self.meters.get(name, 0)

    async def read(self) -> dict[int, Values]:
        """The values of each poll of type R without data, by its command."""
        self.meters = dict(await self._rows("SELECT name, value FROM meters"))  # type: ignore[arg-type]
        meter = self._meter
        drop = meter("coins_in") + meter("notes_in") + meter("found_in") - meter("coins_to_hopper")
        drop += meter("notes_unstored") + meter("hopper_emptied") - meter("notes_stored")
        single = {
            "cancelled": meter("hopper_out") + meter("hand_pay"),
            "coin_in": meter("stakes"),
            "coin_out": meter("wins"),
            "drop": drop,
            "jackpot": 0,
            "games": meter("games"),
            "won": await self._one(_WON.format(">")),
            "lost": await self._one(_WON.format("=")),
            "since_power": await self._one(_SINCE.format(_POWER)),
            "since_door": await self._one(_SINCE.format(_DOOR)),
            "credits": await self._one("SELECT credit_cents FROM cabinet"),
            "door_open": meter("door_main"),
            "power_reset": meter("power_ups"),
            "bills_value": meter("notes_in") // 100,
            "bills_credits": meter("notes_in"),
            **{f"bills_{units}": meter(f"note_{units}00") for units in (1, 5, 10, 20, 50, 100)},
        }
        polls = (0x0F, *range(0x10, 0x1B), 0x1C, 0x1E, 0x20, 0x46)
        wanted = {command: {name: single[name] for name in _names(command)} for command in polls}
        wanted[0x2A], wanted[0x2B] = {"coins": meter("coins_in")}, {"coins": meter("hopper_out")}
        return wanted | {poll: {"bills": meter(f"note_{units}00")} for poll, units in NOTE_POLLS.items()}

    def selected(self) -> dict[int, int]:
        """Meters by their codes, for 2F, 6F and AF."""
        meter = self._meter
        return {
            0x00: meter("stakes"),
            0x01: meter("wins"),
            0x02: 0,
            0x03: meter("hand_pay"),
            0x05: meter("games"),
            0x08: meter("coins_in"),
            0x09: meter("hopper_out"),
            0x0B: meter("notes_in"),
            0xA0: meter("host_in"),
            0xB8: meter("host_out"),
            0x17: meter("host_in"),
            0x18: meter("host_out"),
            **dict.fromkeys((0x0D, 0x15, 0x28, 0x29, 0x80), meter("tickets_in")),
            **dict.fromkeys((0x0E, 0x16, 0x2C, 0x86), meter("tickets_out")),
            **dict.fromkeys((0x11, 0x35, 0x81), meter("tickets_taken")),
            **dict.fromkeys((0x12, 0x38, 0x87), meter("tickets_printed")),
        }


def _names(command: int) -> list[str]:
    return [word.partition(":")[0] for word in POLLS[command].answer.words.split()]  # type: ignore[union-attr]


async def check_meters(host: SasHost, rows: Rows) -> int:
    """Read every meter and compare; return how many figures were."""
    readings = Readings(rows)
    wanted = await readings.read()
    read = {command: await host.read_single(command) for command in wanted}
    assert read == wanted, {
        f"{command:02X}": (read[command], wanted[command]) for command in wanted if read[command] != wanted[command]
    }
    selected = readings.selected()
    codes = list(selected)
    assert await host.read_meters(codes) == selected
    short = await host.ask(0x2F, game=0, codes=codes[:10])
    assert short is not None
    assert short["meters"] == {code: selected[code] for code in codes[:10]}
    by_hand = await host.ask(0x2D, game=0)
    assert by_hand == {"game": 0, "hand_paid": selected[0x03]}
    unknown = await host.read_meters([0x00, 0x0F])
    assert unknown == {0x00: selected[0x00], 0x0F: None}
    return sum(map(len, wanted.values())) + 3 * len(selected) + 2


async def check_last_note(host: SasHost, rows: Rows) -> None:
    """Its country, the code of its value, and how many of that value there were: of euros the code is BCD."""
    codes = {500: 0x02, 1000: 0x03, 2000: 0x04, 5000: 0x05}
    last = await rows("SELECT meters FROM ledger WHERE kind = 'note' ORDER BY seq DESC LIMIT 1")
    cents = next(cents for cents in codes if f'"note_{cents}"' in last[0][0])
    ((count,),) = await rows(f"SELECT value FROM meters WHERE name = 'note_{cents}'")  # noqa: S608 - our own names
    assert await host.read_single(0x48) == {"country": 39, "denomination": codes[cents], "count": count}


async def check_games(host: SasHost, rows: Rows, enabled: Sequence[str]) -> None:
    """The games on offer, what each of them is, and meters of their own that are the journal's."""
    meters = dict(await rows("SELECT name, value FROM meters"))  # type: ignore[arg-type]
    count = (await host.read_single(0x51))["games"]
    known: dict[str, int] = {}
    for number in range(1, count + 1):
        about = await host.ask(0xB5, game=number)
        assert about is not None
        name = about["name"].lower().replace(" ", "_")
        known[name] = number
        figures = await host.ask(0x52, game=number)
        assert figures == {
            "game": number,
            "coin_in": meters.get(f"{name}.stakes", 0),
            "coin_out": meters.get(f"{name}.wins", 0),
            "jackpot": 0,
            "games": meters.get(f"{name}.games", 0),
        }
        itself = await host.ask(0x53, game=number)
        assert itself is not None
        assert (itself["game"], itself["progressive"], itself["denomination"]) == (number, 0, 0x01)
        assert 8000 < int(itself["base"]) < 10_000
        assert (about["group"], about["levels"]) == (0, 0)
        category = await host.ask(0xB4, game=number, category=1)
        assert category is None or (category["game"], category["coin_in"]) == (number, meters.get(f"{name}.stakes", 0))
    assert (await host.read_single(0x56))["games"] == sorted(known[name] for name in enabled)
    assert (await host.read_single(0x55))["game"] in (0, *known.values())
    assert await host.ask(0x52, game=count + 1) is None


async def check_hopper(host: SasHost) -> None:
    """The hopper is well, how full it is nobody knows, and its coin is one unit."""
    hopper = await host.read_single(0x4F)
    assert (hopper["status"], hopper["full"]) == (0x00, 0xFF)
    assert (await host.read_single(0xB3))["denomination"] == 0x06


async def check_identity(host: SasHost) -> None:
    """Version, features, denominations, clock and the polls that are refused where nothing waits."""
    about = await host.read_single(0x54)
    assert about["version"] == "602"
    assert about["serial"]
    whole = await host.read_single(0x1F)
    assert (whole["denomination"], whole["progressive"]) == (0x01, 0)
    features = await host.ask(0xA0, game=0)
    assert features is not None
    first, second, third = features["features"]
    assert first & 0b0110_0010 == 0, "tickets and bonus are not there"
    assert second & 0b0100_0000, "transfers are"
    assert third & 0b10 == 0, "progressives are not there"
    assert features["reserved"] == bytes(3)
    waiting = await host.read_single(0x1B)
    assert (waiting["cents"], waiting["unused"]) == (0, bytes(10))
    assert await host.ask(0x94) == {"code": 0x02}
    assert await host.ask(0xA8, method=1) == {"code": 0x02}
    clock = await host.read_single(0x7E)
    assert 1 <= clock["date"] // 1_000_000 <= 12
    assert clock["time"] < 240_000
    own, all_of_them = await host.read_single(0xB1), await host.read_single(0xB2)
    assert own["denomination"] in all_of_them["denominations"]
    through = await host.ask(0xB0, denomination=0, base=0x56, data=b"")
    assert through is not None
    assert (through["denomination"], through["base"]) == (0x01, 0x56)
    refused = await host.ask(0xB0, denomination=0, base=0x1F, data=b"")
    assert refused is not None
    assert (refused["base"], refused["data"][:1]) in [(0x00, b"\x01"), (0x00, b"\x04")]


async def check_orders(host: SasHost) -> None:
    """What is only acknowledged is; sound of reels is refused."""
    for command, values in ORDERS:
        assert await host.order(command, **values) is True, f"{command:02X} {values}"
    assert await host.order(0x05) is False


async def check_silence(host: SasHost) -> None:
    """What is not public, not for this machine, spoilt or cut short is not answered, and the line goes on."""
    for command in NOT_PUBLIC:
        done = await host.unknown(command, with_crc=False)
        assert done.kind is Kind.SILENCE, f"{command:02X}: {done}"
    for done in (
        await host.spoilt(0x01),
        await host.cut_short(3, 0x01),
        await host.to_another(2, None),
        await host.to_another(2, 0x01),
        await host.unknown(0xC7),
    ):
        assert done.kind is Kind.SILENCE, done
    for command in (0x80, 0x86):
        host.link.send(b"\x00" + bytes([command]) + bytes(6))
        await host.silence(0.1)
        assert await host.ask(0x1A) is not None
    assert await host.ask(0x72, code=0xFF, index=0) is not None
