"""The patterns of the tower light, from one table with its priority."""

from itertools import combinations
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from controller.configuration.cabinet_toml import parse
from controller.configuration.tower import Tiers, Tower, shown
from controller.rounds.draws import seeded_source
from drivers.pins.tower_light import LightPattern
from drivers.wiring import TIERS
from tests.rigs.bewitched import MERLINS_JACKPOT, bewitched
from tests.rigs.configurations import SMALLEST, problems
from tests.rigs.machine import Rig
from tests.rigs.rounds import to_the_end
from tests.rigs.seeds import LOSING

pytestmark = pytest.mark.requirement("D11", "D12")

CONDITIONS = [name for name in Tower.__struct_fields__ if name not in ("denominations", "idle")]
REST = {"bottom": "on"}


def test_the_first_condition_that_names_a_tier_decides_it() -> None:
    """For every pair that can hold together the stronger one's tiers are its own; the others are left to the weaker."""
    tower = Tower()
    for stronger, weaker in combinations(CONDITIONS, 2):
        rows = [msgspec.structs.asdict(getattr(tower, name)) for name in (stronger, weaker, "idle")]
        wanted = {tier: next((row[tier] for row in rows if row[tier] is not None), None) for tier in TIERS}
        both = shown(tower, frozenset({stronger, weaker}), 10)
        assert both == {tier: pattern for tier, pattern in wanted.items() if pattern is not None}


def test_every_condition_shows_on_a_tower_of_two_tiers() -> None:
    """With the default table nobody who has only top and bottom misses any condition."""
    for condition in CONDITIONS:
        patterns = shown(Tower(), frozenset({condition}), 10)
        assert {patterns.get(tier, "off") for tier in ("top",)} | {patterns.get("bottom")} != {"off", "on"}, condition


def test_the_table_is_the_configuration_s() -> None:
    """A condition that is written replaces its line and no other; all five states can be chosen for all four tiers."""
    tower = parse(SMALLEST + '[tower.hand_pay]\nlower = "medium"\n[tower.idle]\n').tower
    assert shown(tower, frozenset({"hand_pay"}), 10) == {"lower": "medium"}
    assert shown(tower, frozenset({"door"}), 10) == {"top": "fast", "lower": "fast"}
    for tier in TIERS:
        for pattern in get_args(LightPattern):
            assert getattr(parse(f'{SMALLEST}[tower.door]\n{tier} = "{pattern}"').tower.door, tier) == pattern


@pytest.mark.requirement("D11")
def test_idle_may_show_the_denomination() -> None:
    """Each coin value may light tiers of its own; one without a line shows plain idle."""
    tower = parse(SMALLEST + '[tower.denominations]\n5 = { bottom = "off", lower = "on" }\n').tower
    assert shown(tower, frozenset(), 5) == {"lower": "on", "bottom": "off"}
    assert shown(tower, frozenset(), 10) == REST
    assert shown(tower, frozenset({"hand_pay"}), 5)["bottom"] == "slow"


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ('[tower.doors]\ntop = "on"', "tower.doors: is no known key; did you mean 'door'?"),
        ('[tower.door]\nmiddle = "on"', "tower.door.middle: is no known key;"),
        (
            '[tower.door]\ntop = "blink"',
            "tower.door.top: cannot be 'blink'; choose one of: fast, medium, off, on, slow",
        ),
        ('[tower.denominations]\nquarter = { top = "on" }', "tower.denominations.quarter: is no coin value in cents;"),
        ('[tower.denominations]\n25 = { top = "x" }', "tower.denominations.25.top: cannot be 'x'; choose one of: fast"),
    ],
)
def test_a_wrong_line_is_named(lines: str, problem: str) -> None:
    """By its key, with the values that it can have."""
    found = problems(SMALLEST + lines)
    assert len(found) == 1
    assert found[0].startswith(problem)


async def test_the_machine_s_conditions_reach_the_tower(tmp_path: Path) -> None:
    """Service call, fault, door, what was opened, hand-pay and the way back to rest, each as the table says."""
    tower = Tower()
    async with Rig(tmp_path, draws=seeded_source(LOSING)) as rig:
        assert rig.front.light == REST
        await rig.press("service")
        assert rig.front.light == shown(tower, frozenset({"service_call"}), 10)
        await rig.door(is_open=True)
        assert rig.front.light == shown(tower, frozenset({"service_call", "door"}), 10)
        await rig.press("service")
        await rig.door(is_open=False)
        assert rig.front.light == shown(tower, frozenset({"opened"}), 10)
        await rig.game(2000)
        await rig.press("spin", 0.3)
        assert rig.front.light == REST
        await rig.until("idle")
        await rig.listener.device_fault("meter_drop", "meter_unplugged", present=True)
        assert rig.front.light == shown(tower, frozenset({"fault"}), 10)
        await rig.listener.device_fault("meter_drop", "meter_unplugged", present=False)
        assert rig.front.light == REST
        await rig.press("collect")
        await rig.until("handpay")
        assert rig.front.light == shown(tower, frozenset({"hand_pay"}), 10)


async def test_a_jackpot_shows_until_the_next_play(tmp_path: Path) -> None:
    """The tower shows the jackpot of the last round until the next stake."""
    async with bewitched(tmp_path, *MERLINS_JACKPOT) as rig:
        await rig.game(2000)
        await rig.press("spin", 0.3)
        assert rig.front.light == REST
        for _ in range(40):
            await rig.press("spin" if rig.shown != "gamble_offer" else "", 1.5)
        assert rig.shown == "gamble_offer"
        assert rig.front.light == shown(Tower(), frozenset({"jackpot"}), 10), "while the line win waits"
        await to_the_end(rig)
        assert rig.front.light == shown(Tower(), frozenset({"jackpot"}), 10)
        await rig.press("spin", 0.3)
        assert rig.front.light == REST


def test_a_tier_that_says_nothing_says_nothing() -> None:
    """An empty line leaves all tiers to the weaker conditions."""
    tower = Tower(door=Tiers())
    assert shown(tower, frozenset({"door"}), 10) == REST
