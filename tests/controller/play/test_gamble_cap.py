"""The cap on what may be gambled: configured, recorded with each round, obeyed by its replay."""

from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from controller.books.audit import audit
from controller.configuration.cabinet_toml import Config
from controller.journal import money, rounds
from controller.journal.actor import Role
from controller.journal.errors import RefusedError
from controller.journal.transaction import Transaction
from controller.rounds.engine import Round, replay
from controller.settings.settings import OUTSIDE
from gamekit.catalogue import load, names
from gamekit.double_up import RED, DoubleUp
from gamekit.play import Draw, Stake
from tests.games.bewitched_table import MOONS
from tests.games.table import Script
from tests.rigs.archived_books import archived
from tests.rigs.archived_books import opened as opened_to_archive
from tests.rigs.bewitched import RED_CARD, bewitched, to_the_table
from tests.rigs.service_menu import Hand, set_now
from tests.rigs.virtual_cabinet import only
from ui.protocol.values import Bet

pytestmark = pytest.mark.requirement("G2")

BEWITCHED = load("bewitched")
CAPS = "SELECT data ->> '$.gamble_cap_cents' FROM ledger WHERE kind = 'stake'"
WIN_CENTS = 100
"""What three moons on a line pay at a coin of 0.10."""


def capped(folder: Path, cents: int | None, *, double_up: bool = True) -> Config:
    """A cabinet with Bewitched alone that caps its double at `cents`; None leaves the game its own cap."""
    config = only(folder, "bewitched")
    caps = {} if cents is None else {"bewitched": cents}
    games = msgspec.structs.replace(config.games, gamble_cap_cents=caps, double_up=double_up)
    return msgspec.structs.replace(config, games=games)


def proved(path: Path) -> None:
    """Every round of the journal replays, and the books balance."""
    proof = audit(path, lambda _what, _done, _total: None)
    assert (proof.failures, proof.replayed) == ([], proof.rounds)


def test_every_game_that_gambles_has_a_cap() -> None:
    """A game whose play may end in a double says how much may be gambled, any other says 0; Elves' is its rule's."""
    doubles = {name for name in names() if DoubleUp in getattr(load(name).step_type, "__args__", ())}
    assert {name for name in names() if load(name).gamble_cap_cents} == doubles
    assert load("mystery_elves").gamble_cap_cents == 12_500_000


@pytest.mark.parametrize(
    ("cents", "double_up", "recorded"),
    [(None, True, BEWITCHED.gamble_cap_cents), (700, True, 700), (0, True, 0), (700, False, 0)],
)
async def test_the_cap_in_force_is_recorded_with_the_round(
    tmp_path: Path, cents: int | None, *, double_up: bool, recorded: int
) -> None:
    """The game's own, the lower one of the configuration, or 0 where nothing may be gambled; the display has it too."""
    async with bewitched(tmp_path, *MOONS, config=capped(tmp_path, cents, double_up=double_up)) as rig:
        await rig.game(2000)
        assert rig.screen.view.terms.gamble_cap_cents == recorded
        await rig.press("spin")
        await rig.until("gamble_offer" if recorded else "idle")
        assert await rig.rows(CAPS) == [(recorded,)]
        if not recorded:
            assert rig.credit == 2000 - rig.machine.play.bet.cents + WIN_CENTS
    proved(tmp_path / "journal.sqlite")


@pytest.mark.parametrize(("cents", "guesses"), [(99, 0), (100, 1), (199, 1), (200, 2), (1_599, 4), (1_600, 5)])
async def test_nothing_above_the_cap_is_gambled(tmp_path: Path, cents: int, guesses: int) -> None:
    """A win at the cap may be doubled, a cent more may not: what is right past it is paid without a question."""
    async with bewitched(tmp_path, *MOONS, *[RED_CARD] * 5, config=capped(tmp_path, cents)) as rig:
        await rig.game(2000)
        credit = rig.credit - rig.machine.play.bet.cents
        await rig.press("spin")
        if guesses:
            await rig.until("gamble_offer")
            await rig.press("max_bet")
        for _ in range(guesses):
            await rig.until("gamble")
            assert rig.screen.view.round.at_risk_cents <= cents
            await rig.press(f"choice:{RED}")
        await rig.until("idle")
        assert rig.credit == credit + WIN_CENTS * 2**guesses
    proved(tmp_path / "journal.sqlite")


@pytest.mark.parametrize("cents", [0, 100, 150, BEWITCHED.gamble_cap_cents])
async def test_a_cap_changed_over_a_restart_breaks_no_round(tmp_path: Path, cents: int) -> None:
    """The round goes on under the cap it was staked with, but nothing is offered above the one in force now."""
    async with bewitched(tmp_path, *MOONS, RED_CARD, RED_CARD, config=capped(tmp_path, 200)) as rig:
        credit = await to_the_table(rig)
        await rig.press(f"choice:{RED}")
        await rig.until("gamble")
        rig.config = capped(tmp_path, cents)
        if cents < 2 * WIN_CENTS:
            await rig.restart(until="idle")
            assert rig.credit == credit + 2 * WIN_CENTS
        else:
            await rig.restart(until="gamble")
            await rig.press(f"choice:{RED}")
            await rig.until("idle")  # the cap of the stake is passed
            assert rig.credit == credit + 4 * WIN_CENTS
        assert await rig.rows(CAPS) == [(200,)]
    proved(tmp_path / "journal.sqlite")


def begun(tx: Transaction, coin_value_cents: int, played: Round, draw: Draw, cap_cents: int) -> int:
    """Begin a round of Bewitched and return its number."""
    wager = rounds.Wager(
        game="bewitched",
        maths_version=BEWITCHED.maths_version,
        maths_hash=BEWITCHED.maths_hash,
        bet=Bet(lines=1, coins_per_line=10, coin_value_cents=coin_value_cents),
        gamble_cap_cents=cap_cents,
    )
    money.coins_taken(tx, 1, 1, (wager.stake_cents,), 0)
    return rounds.begin(tx, wager, "null", played.advance(None, draw))


def one_line(coin_value_cents: int, cap_cents: int) -> Stake:
    """Ten coins on one line."""
    return Stake(lines=1, coins_per_line=10, coin_value_cents=coin_value_cents, gamble_cap_cents=cap_cents)


async def test_the_menu_lowers_the_cap(tmp_path: Path) -> None:
    """What a technician sets holds from the next round on, cannot be raised above the game's own, and can be undone."""
    async with bewitched(tmp_path, *MOONS) as rig:
        key, own = "games.gamble_cap_cents.bewitched", BEWITCHED.gamble_cap_cents
        with pytest.raises(RefusedError, match=OUTSIDE):
            await set_now(rig, {key: own + 1})
        await set_now(rig, {key: WIN_CENTS - 1})
        await rig.game(2000)
        assert rig.screen.view.terms.gamble_cap_cents == WIN_CENTS - 1
        await rig.press("spin")
        await rig.until("idle")
        assert rig.credit == 2000 - rig.machine.play.bet.cents + WIN_CENTS


def test_the_cap_goes_with_the_round_into_the_next_file(tmp_path: Path) -> None:
    """Books that were archived replay the round under its own cap, which ended the double below the game's."""
    cap = 2 * WIN_CENTS
    played, draw = Round(BEWITCHED, one_line(1, cap), "null"), Script([*MOONS, RED_CARD, RED_CARD])
    with closing(opened_to_archive(tmp_path)) as store:
        number = store.transact(lambda tx: begun(tx, 1, played, draw, cap))
        while played.offer is not None:
            doubled = played.advance(RED, draw)
            store.transact(lambda tx: rounds.proceed(tx, number, doubled))  # noqa: B023 - run at once
        assert played.win_cents == 2 * cap
    archived(tmp_path)
    with closing(opened_to_archive(tmp_path)) as store:
        recorded = store.transact(lambda tx: rounds.recorded_round(tx, number))
    assert recorded.wager.gamble_cap_cents == cap
    assert replay(BEWITCHED, recorded).win_cents == 2 * cap
    proved(tmp_path / "journal.sqlite")


async def test_the_recall_names_the_cap_of_the_round(tmp_path: Path) -> None:
    """H.1 gives the cap with which the round was staked, whatever is configured since."""
    async with bewitched(tmp_path, *MOONS, config=capped(tmp_path, 700)) as rig:
        await rig.game(2000)
        await rig.press("spin")
        await rig.until("gamble_offer")
        await rig.press("collect")
        rig.config = capped(tmp_path, 300)
        await rig.restart(until="idle")
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("H.1")
        await rig.press("spin")
        assert {row.label: row.cents for row in hand.page.rows}["Highest gamble"] == 700
