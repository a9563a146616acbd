"""Recall: a past round on the reels again, step by step, and nothing of the machine is moved by it."""

import hashlib
import random
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from controller.journal.actor import Role
from controller.rounds.draws import seeded_source
from gamekit.beats import CascadeFell, ReelsLanded, WaysWin
from gamekit.catalogue import load, names
from gamekit.checking import steps_of
from gamekit.play import Step
from gamekit.simulate import seeded_draw
from tests.games.table import Script
from tests.rigs.machine import Rig
from tests.rigs.rounds import BOOKS, spin
from tests.rigs.seeds import CHESTS
from tests.rigs.service_menu import Hand
from tests.rigs.virtual_cabinet import only

pytestmark = pytest.mark.requirement("L1", "L2", "L3")

SHOW = "Show it"
CUT = "the power goes"
KEYS = ("lines", "bet", "spin", "info", "max_bet", CUT)
FREE_SPINS = 142
"""A seed whose first round of 15 lines at 0.10 starts free spins."""
SEEDS = (1, 2, CHESTS, 42)


async def recalled(rig: Rig, number: int) -> Hand:
    """Turn the attendant's key and show a round on the reels."""
    hand = Hand(rig)
    await hand.turn(Role.ATTENDANT)
    await hand.go("H.1")
    await hand.enter(f"H.1.{number}")
    await hand.enter(SHOW)
    assert rig.screen.view.past.replay is not None
    return hand


@cache
def chain() -> tuple[int, ...]:
    """Return the stops of a round of Star Quarry in which symbols fall three times and that wins nothing else."""
    game, source = load("star_quarry"), random.Random(1)
    while True:
        steps = list(steps_of(game, game.stakes()[0], None, seeded_draw(source), source))
        falls = sum(isinstance(step, CascadeFell) for step in steps)
        if falls == 3 and all(isinstance(step, ReelsLanded | WaysWin | CascadeFell) for step in steps):
            return next(step.stops for step in steps if isinstance(step, ReelsLanded))


def segments(game: str, shows: Sequence[Sequence[msgspec.Raw]]) -> list[list[msgspec.Raw]]:
    """Return the steps of each segment: a show that begins with a fall goes on with the segment before."""
    found = list[list[msgspec.Raw]]()
    for steps in shows:
        falls = isinstance(msgspec.json.decode(steps[0], type=load(game).step_type), CascadeFell)
        found[-1:] = [[*found[-1], *steps]] if falls else [*found[-1:], list(steps)]
    return found


def decoded(rig: Rig) -> list[Step]:
    """Return the steps of the newest show of a round of Star Quarry."""
    return [msgspec.json.decode(step, type=load("star_quarry").step_type) for step in rig.screen.shows[-1]]


def figures(hand: Hand) -> dict[str, str | int | None]:
    """The page's rows by label."""
    return {row.label: row.value or (row.count if row.cents is None else row.cents) for row in hand.page.rows}


async def leave(rig: Rig) -> None:
    """Turn the attendant's key back."""
    rig.machine.keys.take(Role.ATTENDANT, turned=False)
    await rig.until_true(lambda: rig.screen.view.pages.service is None)


@pytest.mark.requirement("L1", "L2")
async def test_a_round_is_recalled_step_by_step(tmp_path: Path) -> None:
    """Chests and all, each step once more on the reels with its win, and marked by its round; no cent moves."""
    async with Rig(tmp_path, draws=seeded_source(CHESTS)) as rig:
        await rig.game(5000)
        await spin(rig)
        shown = list(rig.screen.shows)
        await rig.press("bet")
        before = rig.screen.view
        books = await rig.rows(BOOKS)
        again = len(rig.screen.shows)
        hand = await recalled(rig, 1)
        waits: list[bool] = []
        for step in range(len(shown)):
            assert figures(hand)["Step"] == f"{step + 1} / {len(shown)}"
            await rig.press("bet", 1.5)
            waited = bytes(rig.screen.view.round.offer) != b"null"
            assert rig.screen.view.message == ("recall_choice" if waited else "")
            waits.append(waited)
        assert any(waits)
        assert rig.screen.shows[again:] == shown
        view = rig.screen.view
        assert view.past.replay is not None
        assert (view.past.replay.number, view.game, view.round.win_cents) == (1, "neptune", view.past.replay.win_cents)
        assert view.controls
        assert all(name.startswith("service:") for name in view.controls)
        found = figures(hand)
        ((stake, win, credit),) = await rig.rows("SELECT stake_cents, win_cents, credit_after_cents FROM rounds")
        assert (found["Stake"], found["Win so far"], found["Credit after"]) == (stake, win, credit)
        assert found["Credit before"] == 5000
        assert ("Note", "before the round", 5000) in {(row.label, row.value, row.cents) for row in hand.page.rows}
        await rig.press("collect")
        assert (hand.page.code, rig.screen.view.past.replay) == ("H.1.1", None)
        await leave(rig)
        assert rig.screen.view == before
        after = await rig.rows(BOOKS)
        assert after[0][1:] == books[0][1:]


async def test_every_window_of_a_chain_is_recalled(tmp_path: Path) -> None:
    """Each fall is a step of its own, which plays and then stands with its wins; the wins add up to the round's."""
    config = only(tmp_path, "star_quarry")
    async with Rig(tmp_path, config=config, draws=lambda _round, _segment: Script(list(chain()))) as rig:
        await rig.game(5000)
        await spin(rig)
        played = decoded(rig)
        falls = [step for step in played if isinstance(step, CascadeFell)]
        hand = await recalled(rig, 1)
        await rig.press("max_bet")
        assert figures(hand)["Step"] == f"{len(falls) + 1} / {len(falls) + 1}"
        shown, won, coin_cents = list[Step](), 0, rig.machine.play.bet.coin_value_cents
        for place, fall in enumerate([None, *falls]):
            await rig.press("bet" if fall else "info", 1.5)
            scene = msgspec.json.decode(rig.screen.view.round.scene, type=load("star_quarry").scene_type)
            now = decoded(rig)
            won += coin_cents * sum(step.coins for step in now if isinstance(step, WaysWin))
            multiplier = fall.multiplier if fall else 1
            assert (scene.cascade, scene.multiplier) == (place, multiplier)
            assert scene.ways_wins == tuple(step for step in now if isinstance(step, WaysWin))
            assert figures(hand).get("Cascade") == (f"{place} · × {multiplier}" if fall else None)  # noqa: RUF001
            assert figures(hand)["Win so far"] == won
            shown += now
        assert shown == played
        assert await rig.rows("SELECT win_cents FROM rounds") == [(won,)]
        assert (figures(hand)["Ways"], "Lines" in figures(hand)) == (243, False)


async def test_only_where_an_answer_was_asked_for_the_recall_says_so(tmp_path: Path) -> None:
    """Of free spins the first waited for a press; the others began by themselves."""
    async with Rig(tmp_path, draws=seeded_source(FREE_SPINS)) as rig:
        await rig.game(5000)
        await spin(rig)
        await recalled(rig, 1)
        said = []
        for control in ("", "bet", "bet", "bet", "bet"):
            await rig.press(control, 1.5)
            said.append(rig.screen.view.message)
        assert said == ["recall_choice", "", "", "", ""]


async def test_a_step_stands_as_it_stood(tmp_path: Path) -> None:
    """While it plays the scene before it is the view's; once it was shown, the scene after it and what was offered."""
    async with Rig(tmp_path, draws=seeded_source(CHESTS)) as rig:
        await rig.game(5000)
        await rig.press("spin")
        await rig.until("offer")
        offered, final = rig.screen.view.round.offer, rig.screen.view.round.scene
        while rig.shown == "offer":
            await rig.press("spin", 0.5)
            await rig.until_true(lambda: rig.shown in ("offer", "idle"))
        await recalled(rig, 1)
        view = rig.screen.view
        assert (bytes(view.round.offer), msgspec.json.decode(view.round.scene, type=load("neptune").scene_type)) == (
            b"null",
            load("neptune").idle,
        )
        await rig.until_true(lambda: bytes(rig.screen.view.round.offer) != b"null")
        assert (rig.screen.view.round.offer, rig.screen.view.round.scene) == (offered, final)
        await rig.press("max_bet")
        last = rig.screen.view.round.scene
        await rig.press("info", 1.5)
        assert (rig.screen.view.round.offer, rig.screen.view.round.scene) == (offered, final)
        await rig.press("max_bet")
        assert rig.screen.view.round.scene == last
        await rig.press("lines")
        assert rig.screen.view.round.scene != last


@pytest.mark.requirement("L1")
async def test_the_open_round_is_recalled_as_far_as_it_was_committed(tmp_path: Path) -> None:
    """Its first step and no more, while the chests wait; then the player goes on exactly there."""
    async with Rig(tmp_path, draws=seeded_source(CHESTS)) as rig:
        await rig.game(5000)
        await rig.press("spin")
        await rig.until("offer")
        before = rig.screen.view
        hand = await recalled(rig, 1)
        found = figures(hand)
        assert (found["Step"], found["Credit after"], found["Round"]) == ("1 / 1", "still open", "open")
        await rig.press("bet", 1.5)
        assert figures(hand)["Step"] == "1 / 1"
        await leave(rig)
        await rig.until("offer")
        assert rig.screen.view == before
        await rig.press("spin")
        await rig.until("offer")


@pytest.mark.requirement("L1")
@pytest.mark.parametrize("how", ["door", "fault"])
async def test_a_round_is_recalled_in_a_tilt(tmp_path: Path, how: str) -> None:
    """In an error state too, which is there again afterwards."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        await spin(rig)
        if how == "door":
            await rig.door(is_open=True)
        else:
            await rig.listener.device_fault("bill_validator", "stacker_jam", present=True)
            await rig.until("tilted")
        assert rig.shown == "tilted"
        await recalled(rig, 1)
        await leave(rig)
        assert rig.shown == "tilted"


async def test_a_door_in_a_recall_ends_the_show_and_not_the_recall(tmp_path: Path) -> None:
    """What was playing is at its end; the next step plays again."""
    async with Rig(tmp_path, draws=seeded_source(CHESTS)) as rig:
        await rig.game(2000)
        await spin(rig)
        hand = await recalled(rig, 1)
        await rig.door(is_open=True)
        assert bytes(rig.screen.view.round.offer) != b"null"
        shows = len(rig.screen.shows)
        await rig.press("bet", 1.5)
        assert (len(rig.screen.shows), str(figures(hand)["Step"])[0]) == (shows + 1, "2")


@pytest.mark.requirement("P1")
async def test_a_power_cut_in_a_recall_leaves_nothing_behind(tmp_path: Path) -> None:
    """The machine is in the state of before, whichever step was in sight, and the round can be recalled again."""
    async with Rig(tmp_path, draws=seeded_source(CHESTS)) as rig:
        await rig.game(2000)
        await spin(rig)
        scene, credit = rig.screen.view.round.scene, rig.credit
        await recalled(rig, 1)
        await rig.press("bet")
        await rig.restart(until="idle")
        assert (rig.screen.view.round.scene, rig.credit, rig.screen.shows) == (scene, credit, [])
        await recalled(rig, 1)


async def test_a_round_of_other_mathematics_shows_its_figures(tmp_path: Path) -> None:
    """It says so plainly, and its journaled draws and wins are there nevertheless."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        await spin(rig)
        await rig.journal.do(lambda tx: tx.execute("DROP TRIGGER rounds_end_once").rowcount)
        await rig.journal.do(lambda tx: tx.execute("UPDATE rounds SET maths_hash = 'other'").rowcount)
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("H.1")
        await hand.enter("H.1.1")
        assert hand.page.rows[0].label.startswith("Played with other mathematics")
        assert not hand.page.rows[0].leads
        assert {"Draw", "Stake", "Credit before"} <= {row.label for row in hand.page.rows}


async def test_a_round_that_replays_otherwise_is_not_shown(tmp_path: Path) -> None:
    """The same mathematics, and yet other beats: the page says so and stays."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        await spin(rig)
        await rig.journal.do(lambda tx: tx.execute("DROP TRIGGER segments_no_update").rowcount)
        await rig.journal.do(lambda tx: tx.execute("UPDATE segments SET steps_sha256 = zeroblob(32)").rowcount)
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("H.1")
        await hand.enter("H.1.1")
        shows = len(rig.screen.shows)
        await hand.enter(SHOW)
        assert (rig.screen.view.past.replay, len(rig.screen.shows)) == (None, shows)
        assert hand.page.message.startswith("This round replays otherwise")


@pytest.mark.parametrize("game", names())
async def test_rounds_of_every_game_are_recalled(tmp_path: Path, game: str) -> None:
    """Some rounds of each, every step of them with the beats that the journal's hash is of."""
    async with Rig(tmp_path, config=only(tmp_path, game), draws=seeded_source(7)) as rig:
        await rig.game(5000)
        for _ in range(3):
            await spin(rig)
        for number in (1, 2, 3):
            hand = await recalled(rig, number)
            steps = int(str(figures(hand)["Step"]).rpartition(" ")[2])
            await rig.press("info", 1.2)
            begun = len(rig.screen.shows)
            for _ in range(steps - 1):
                await rig.press("bet", 1.2)
            shown = rig.screen.shows[begun - 1 :]
            digests = await rig.rows(
                f"SELECT steps_sha256 FROM segments WHERE round_id = {number} ORDER BY number"  # noqa: S608
            )
            assert [(digest_of(steps),) for steps in segments(game, shown)] == digests
            await leave(rig)


def digest_of(steps: tuple[msgspec.Raw, ...]) -> bytes:
    """The hash by which the journal knows what was shown."""
    return hashlib.sha256(b"\n".join(bytes(step) for step in steps)).digest()


@pytest.mark.requirement("L1", "M12")
@given(
    seed=st.sampled_from(SEEDS),
    presses=st.lists(st.tuples(st.integers(1, 3), st.lists(st.sampled_from(KEYS), max_size=8)), min_size=1, max_size=4),
    quick=st.booleans(),
)
@settings(max_examples=20)
async def test_no_order_of_keys_in_recall_moves_anything(
    seed: int, presses: list[tuple[int, list[str]]], *, quick: bool
) -> None:
    """Whichever rounds are recalled with whichever keys, every show is a recorded one, the books unchanged."""
    with tempfile.TemporaryDirectory() as folder:

        async def play() -> None:
            async with Rig(Path(folder), draws=seeded_source(seed)) as rig:
                await rig.game(5000)
                for _ in range(3):
                    await spin(rig)
                before, turn_off = rig.screen.view, Role.ATTENDANT
                money = await rig.rows("SELECT name, value FROM meters WHERE name <> 'power_ups' ORDER BY name")
                recorded = {digest for (digest,) in await rig.rows("SELECT steps_sha256 FROM segments")}
                begun, shown = len(rig.screen.shows), set[bytes]()
                for number, keys in presses:
                    await recalled(rig, number)
                    for key in keys:
                        if key == CUT:
                            shown |= {digest_of(steps) for steps in rig.screen.shows[begun:]}
                            await rig.restart(until="idle")
                            begun = 0
                            await recalled(rig, number)
                        else:
                            await rig.press(key, 0.05 if quick else 1.2)
                        assert rig.screen.view.past.replay is not None
                    rig.machine.keys.take(turn_off, turned=False)
                    await rig.until_true(lambda: rig.screen.view.pages.service is None)
                assert shown | {digest_of(steps) for steps in rig.screen.shows[begun:]} <= recorded
                view = rig.screen.view
                assert (view.round.scene, view.balance.credit_cents, view.round.win_cents) == (
                    before.round.scene,
                    before.balance.credit_cents,
                    before.round.win_cents,
                )
                assert view.bet == before.bet
                after = await rig.rows("SELECT name, value FROM meters ORDER BY name")
                assert [row for row in after if row[0] != "power_ups"] == money
                moved = await rig.rows("SELECT count(*) FROM ledger WHERE credit_delta <> 0 AND round_id IS NULL")
                assert moved == [(1,)]
                event(f"{len(rig.screen.shows) - begun} shows")

        await play()


@pytest.mark.requirement("L3")
@pytest.mark.parametrize("name", names())
async def test_the_paytable_is_reached_from_the_recall(tmp_path: Path, name: str) -> None:
    """By button and by touch, at the round's bet; its pages turn, and back leads to the very step."""
    async with Rig(tmp_path, config=only(tmp_path, name), draws=seeded_source(7)) as rig:
        await rig.game(5000)
        await spin(rig)
        hand = await recalled(rig, 1)
        await rig.press("max_bet", 1.5)
        before = rig.screen.view
        shows = len(rig.screen.shows)
        for opens, leaves in (("auto", "collect"), ("service:rules", "paytable_close"), ("auto", "service:back")):
            await rig.press(opens)
            view = rig.screen.view
            assert (view.state, view.game, view.bet, view.focus) == ("service_menu", name, before.bet, "page:0")
            assert "paytable_close" in view.controls
            seen = []
            for key in ("bet", "service:down", "lines", "info", "spin", "auto"):
                await rig.press(key)
                seen.append(rig.screen.view.focus)
            assert seen == ["page:1", "page:2", "page:1", "page:1", "page:1", "page:1"]
            await rig.press(leaves)
            assert rig.screen.view == before
            assert figures(hand)["Step"].split(" / ")[0] == figures(hand)["Step"].split(" / ")[1]
        assert len(rig.screen.shows) == shows
        await leave(rig)
