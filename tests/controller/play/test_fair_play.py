"""What holds play back is held by the supervisor: times, stakes, presses, checks, breaks and limits (fair-play.md)."""

from itertools import pairwise
from pathlib import Path

import pytest

from controller.features.care.presets import JURISDICTIONS
from controller.rounds.draws import DrawSource, seeded_source
from tests.rigs.fair_house import house, jurisdiction
from tests.rigs.machine import PlainHopper, Rig
from tests.rigs.seeds import FREE_SPINS, LOSING, STAKE_CENTS, WINNING

BELOW_STAKE = 10
"""A seed whose first round wins 0.20 of a stake of 1.50."""
MINUTE_S = 60.0


def always(seed: int) -> DrawSource:
    """Draws by which every round is that seed's first."""
    source = seeded_source(seed)
    return lambda _round, segment: source(0, segment)


async def press(rig: Rig, *controls: str) -> None:
    """Press these controls one after the other; each must live."""
    for control in controls:
        assert control in rig.machine.states.controls, f"{control} is dead in {rig.shown}"
        await rig.press(control)


async def minutes(rig: Rig, count: float) -> None:
    """Let so many minutes pass."""
    await rig.machine.clock.sleep(count * MINUTE_S)


async def play(rig: Rig, rounds: int = 1) -> None:
    """Play rounds to their ends."""
    for _ in range(rounds):
        await press(rig, "spin")
        await rig.until_true(lambda: rig.shown not in ("round", "offer"), 120.0)


async def answered(rig: Rig, *controls: str) -> None:
    """Answer a page that takes no answer at first."""
    await rig.until_true(lambda: controls[0] in rig.machine.states.controls, 5.0)
    await press(rig, *controls)


@pytest.mark.requirement("G6")
@pytest.mark.parametrize(("least_ms", "most"), [(0, 39), (2_500, 8), (5_000, 4)])
async def test_a_game_lasts_its_least_time(tmp_path: Path, least_ms: int, most: int) -> None:
    """However often SPIN is pressed, no two stakes are closer than the least time: so many in twenty seconds."""
    async with Rig(tmp_path, draws=always(LOSING), config=house(tmp_path, games={"least_ms": least_ms})) as rig:
        await rig.game(5000)
        began, stakes = rig.machine.clock.now(), list[float]()
        while rig.machine.clock.now() < began + 20:
            before = await rig.meter("games")
            await rig.press("spin", 0.25)
            if await rig.meter("games") > before:
                stakes.append(rig.machine.clock.now())
        assert len(stakes) == pytest.approx(most, abs=1)
        assert all(after - one >= least_ms / 1000 - 0.26 for one, after in pairwise(stakes))


@pytest.mark.requirement("R10")
async def test_no_style_of_play_changes_what_is_drawn(tmp_path: Path) -> None:
    """Nor do credit, bet, pauses, turbo, STOP or autospin: the same numbers make the same round."""
    styles: tuple[tuple[int, float, tuple[str, ...]], ...] = (
        (2_000, 0.0, ("spin",)),
        (10_000, 0.0, ("spin",)),
        (2_000, 3_600.0, ("spin",)),
        (10_000, 0.0, ("coin_value", "spin")),
        (10_000, 0.0, ("bet", "spin")),
        (2_000, 0.0, ("turbo", "spin")),
        (2_000, 0.0, ("spin", "spin")),
        (5_000, 0.0, ("auto", "spin")),
    )
    drawn = []
    for number, (credit, pause_s, presses) in enumerate(styles):
        folder = tmp_path / str(number)
        folder.mkdir()
        async with Rig(folder, draws=always(WINNING), config=house(folder)) as rig:
            await rig.game(credit)
            await rig.machine.clock.sleep(pause_s)
            await press(rig, *presses)
            await rig.until_true(lambda rig=rig: rig.shown in ("round", "idle"))
            await rig.machine.clock.sleep(20.0)
            drawn.append((await rig.rows("SELECT draws FROM segments ORDER BY round_id, number LIMIT 1"))[0])
    assert drawn == [drawn[0]] * len(styles)


async def test_autospin_keeps_the_least_time(tmp_path: Path) -> None:
    """Autospin stakes no sooner than a finger could."""
    async with Rig(tmp_path, draws=always(LOSING), config=house(tmp_path, games={"least_ms": 5_000})) as rig:
        await rig.game(5000)
        await rig.machine.clock.sleep(5.0)  # a start counts as a stake: nobody knows when the last one was
        await press(rig, "auto", "spin")
        await rig.machine.clock.sleep(19.0)
        assert await rig.meter("games") == 4


async def test_without_stop_spin_shortens_nothing(tmp_path: Path) -> None:
    """SPIN is dark and dead while a round is shown, and with STOP it is not."""
    for stop in (False, True):
        folder = tmp_path / str(stop)
        folder.mkdir()
        async with Rig(folder, draws=always(LOSING), config=house(folder, games={"stop": stop})) as rig:
            await rig.game(2000)
            await press(rig, "spin")
            assert rig.shown == "round"
            assert ("spin" in rig.machine.states.controls, "spin" in rig.front.lit) == (stop, stop)
            await rig.press("spin")
            assert bool(rig.screen.hurried) is stop
            await rig.until("idle")


async def test_without_turbo_no_show_is_shortened(tmp_path: Path) -> None:
    """Turbo is neither on the screen nor in force, chosen before or not."""
    async with Rig(tmp_path, draws=always(LOSING), config=house(tmp_path)) as rig:
        await rig.game(5000)
        await press(rig, "turbo")
        await play(rig)
        assert rig.screen.turbo == [True]
        rig.config = house(tmp_path, games={"turbo": False})
        await rig.restart(until="idle")
        assert "turbo" not in rig.machine.states.controls
        await play(rig)
        assert (rig.screen.turbo, rig.screen.view.output.turbo) == ([False], False)


async def test_without_bought_features_none_is_sold(tmp_path: Path) -> None:
    """No price, no button, and no page that asks."""
    async with Rig(tmp_path, config=house(tmp_path, "mystery_elves", games={"buy": False})) as rig:
        await rig.game(10_000)
        assert rig.screen.view.terms.buy_cents == 0
        assert "buy" not in rig.machine.states.controls


async def test_the_house_limits_autospin(tmp_path: Path) -> None:
    """No more spins than the house allows, and no start without a loss limit where it wants one."""
    limits = {"autospin_spins": 25, "autospin_loss_limit": True}
    async with Rig(tmp_path, draws=always(LOSING), config=house(tmp_path, games=limits)) as rig:
        await rig.game(5000)
        await press(rig, "auto", *["max_bet"] * 9)
        assert rig.screen.view.pages.autospin is not None
        assert rig.screen.view.pages.autospin.spins == 25
        assert not {"spin", "auto:start"} & rig.machine.states.controls
        await press(rig, "auto:loss_limit:toggle")
        assert {"spin", "auto:start"} <= rig.machine.states.controls


@pytest.mark.parametrize(("seed", "plain"), [(LOSING, True), (BELOW_STAKE, True), (WINNING, False)])
async def test_a_win_up_to_the_stake_is_not_celebrated(tmp_path: Path, seed: int, plain: bool) -> None:  # noqa: FBT001
    """The show says so, and so does the view until the next stake, over a restart; above the stake neither does."""
    async with Rig(tmp_path, draws=always(seed), config=house(tmp_path, games={"celebrate_all": False})) as rig:
        await rig.game(2000)
        await play(rig)
        assert (rig.screen.plain, rig.screen.view.round.plain) == ([plain], plain)
        await rig.restart(until="idle")
        assert rig.screen.view.round.plain is plain


async def test_the_house_celebrates_all_by_default(tmp_path: Path) -> None:
    """Nothing is plain where nobody wants it so."""
    async with Rig(tmp_path, draws=always(BELOW_STAKE)) as rig:
        await rig.game(2000)
        await play(rig)
        assert (rig.screen.plain, rig.screen.view.round.plain) == ([False], False)


async def test_the_clock_is_shown_to_the_minute(tmp_path: Path) -> None:
    """On every screen, in a round as well; and nowhere where the house does not want it."""
    async with Rig(tmp_path, config=house(tmp_path, clock=True)) as rig:
        await minutes(rig, 0.1)
        before = rig.screen.view.status.clock
        assert len(before) == len("23:59")
        await minutes(rig, 1)
        assert rig.screen.view.status.clock != before
    async with Rig(tmp_path) as rig:
        await minutes(rig, 0.1)
        assert rig.screen.view.status.clock == ""


async def test_the_session_is_what_the_meters_have_counted(tmp_path: Path) -> None:
    """Time, money in, money out and net, over a restart; a new session begins with what is put in for it."""
    config = house(tmp_path, panel=True)
    async with Rig(tmp_path, draws=always(WINNING), config=config, hopper=PlainHopper()) as rig:
        await rig.game(2000)
        await play(rig, 2)
        await minutes(rig, 3.5)
        await rig.restart(until="idle")
        await press(rig, "session")
        page = rig.screen.view.pages.care
        assert page is not None
        figures = page.figures
        assert (figures.in_cents, figures.out_cents, figures.net_cents) == (2000, 0, 2 * (300 - STAKE_CENTS))
        assert rig.credit == figures.in_cents - figures.out_cents + figures.net_cents
        assert figures.began_s is not None
        assert 180 <= rig.machine.clock.now() - figures.began_s <= 245
        assert rig.screen.view.status.session == figures
        await press(rig, "session:close", "collect")
        await rig.until("idle", 120.0)
        await rig.until("attract", 120.0)
        await rig.game(1000)
        await press(rig, "session")
        page = rig.screen.view.pages.care
        assert page is not None
        assert (page.figures.in_cents, page.figures.out_cents, page.figures.net_cents) == (1000, 0, 0)


async def test_the_time_of_a_session_is_counted_to_the_second(tmp_path: Path) -> None:
    """From leaving the attract show, whatever the state of the minute that is counted; the next one begins anew."""
    async with Rig(tmp_path, config=house(tmp_path, panel=True), hopper=PlainHopper()) as rig:
        for waited in (0.7, 1.6):
            await minutes(rig, waited)
            began = rig.machine.clock.now()
            await rig.game(2000)
            for _ in range(2):
                shown, now = rig.screen.view.status.session, rig.machine.clock.now()
                assert shown is not None
                assert shown.seconds(now) == pytest.approx(now - began, abs=2)
                await minutes(rig, 1.1)
            await press(rig, "collect")
            await rig.until("idle", 120.0)
            await rig.until("attract", 120.0)
        assert rig.screen.view.status.session is None


async def test_books_without_a_session_begin_one_at_the_next_start(tmp_path: Path) -> None:
    """As a rebuild from the second copy leaves them: what was counted before is nobody's session."""
    async with Rig(tmp_path, draws=always(LOSING), config=house(tmp_path, panel=True)) as rig:
        await rig.game(2000)
        await play(rig, 2)
        await rig.rows("DELETE FROM settings WHERE name = 'player_care'")
        await rig.restart(until="idle")
        await play(rig)
        await press(rig, "session")
        page = rig.screen.view.pages.care
        assert page is not None
        assert (page.figures.in_cents, page.figures.net_cents) == (0, -STAKE_CENTS)


async def test_nobody_else_s_money_is_taken_in_a_break(tmp_path: Path) -> None:
    """Nor in the attract show, once the player who began it has gone."""
    config = house(tmp_path, break_minutes=15)
    async with Rig(tmp_path, draws=always(LOSING), config=config, hopper=PlainHopper()) as rig:
        await rig.game(500)
        await press(rig, "session", "session:break")
        await rig.until("break")
        await press(rig, "collect")
        await rig.until("attract", 300.0)
        assert (rig.front.coins, rig.front.notes) == (False, frozenset())
        assert not rig.screen.view.balance.accepts_notes
        await rig.until_true(lambda: rig.front.coins, 16 * MINUTE_S)


async def test_the_session_s_net_hides_the_win_that_is_yet_to_be_seen(tmp_path: Path) -> None:
    """While the reels turn it has lost the stake, and no more is known."""
    async with Rig(tmp_path, draws=always(WINNING), config=house(tmp_path, panel=True)) as rig:
        await rig.game(2000)
        await press(rig, "spin")
        rig.machine.states.refresh(while_showing=True)
        assert rig.screen.view.status.session is not None
        assert rig.screen.view.status.session.net_cents == -STAKE_CENTS
        await rig.until("idle")
        assert rig.screen.view.status.session.net_cents == 300 - STAKE_CENTS


async def test_a_reality_check_is_answered_before_play_goes_on(tmp_path: Path) -> None:
    """After its interval nothing is staked until it is answered; the answer is recorded with what was shown."""
    async with Rig(tmp_path, draws=always(LOSING), config=house(tmp_path, reality_check_minutes=30)) as rig:
        await rig.game(2000)
        await play(rig, 2)
        await rig.until("reality_check", 31 * MINUTE_S)
        assert "spin" not in rig.machine.states.controls  # a finger that plays on has not read it
        for _ in range(4):
            await rig.press("spin", 0.3)
        assert await rig.meter("games") == 2
        await rig.restart(until="reality_check")
        await answered(rig, "spin")
        await rig.until("idle")
        (event,) = await rig.events("reality_check")
        assert event.endswith("the player goes on")
        assert "30 min, in 2000 cents, out 0 cents, net -300 cents" in event
        await play(rig)
        assert await rig.meter("games") == 3


async def test_a_reality_check_waits_for_the_end_of_the_round(tmp_path: Path) -> None:
    """In the middle of free spins nothing comes between; it is due at their end."""
    async with Rig(tmp_path, draws=seeded_source(FREE_SPINS), config=house(tmp_path, reality_check_minutes=1)) as rig:
        await rig.game(2000)
        await press(rig, "spin")
        await rig.until("offer")
        await minutes(rig, 3)
        assert rig.shown == "offer"
        await rig.restart(until="offer")
        while rig.shown in ("offer", "round"):
            await rig.press("spin" if rig.shown == "offer" else "", 0.5)
        assert rig.shown in ("idle", "reality_check")
        await rig.until("reality_check", 5.0)
        assert await rig.meter("games") == 1


async def test_a_reality_check_ends_autospin(tmp_path: Path) -> None:
    """No spin starts by itself once it is due."""
    async with Rig(tmp_path, draws=always(LOSING), config=house(tmp_path, reality_check_minutes=1)) as rig:
        await rig.game(10_000)
        await press(rig, "auto", *["max_bet"] * 5, "spin")
        await rig.until("reality_check", 90.0)
        played = await rig.meter("games")
        await minutes(rig, 1)
        assert await rig.meter("games") == played
        assert rig.screen.view.round.autospin_of == 0


async def test_a_reality_check_may_be_followed_by_a_rest(tmp_path: Path) -> None:
    """Where the house wants it, whatever the answer is; then play goes on."""
    config = house(tmp_path, reality_check_minutes=2, rest_minutes=5)
    async with Rig(tmp_path, draws=always(LOSING), config=config) as rig:
        await rig.game(2000)
        await minutes(rig, 2)
        await rig.until("reality_check")
        await answered(rig, "check:go_on")
        await rig.until("break")
        await minutes(rig, 5)
        assert rig.shown == "break"
        await rig.until("idle", 2 * MINUTE_S)
        await play(rig)


async def test_a_reality_check_s_player_is_paid_out(tmp_path: Path) -> None:
    """COLLECT is an answer too."""
    config = house(tmp_path, reality_check_minutes=1)
    async with Rig(tmp_path, draws=always(LOSING), config=config, hopper=PlainHopper()) as rig:
        await rig.game(500)
        await minutes(rig, 1)
        await rig.until("reality_check")
        await answered(rig, "collect")
        await rig.until_true(lambda: rig.credit == 0)
        (event,) = await rig.events("reality_check")
        assert event.endswith("the player is paid out")


async def test_a_break_lasts_over_a_power_cut(tmp_path: Path) -> None:
    """Nothing is played and no money taken, powered off or not, until its minutes have passed; COLLECT pays."""
    config = house(tmp_path, break_minutes=15)
    async with Rig(tmp_path, draws=always(LOSING), config=config, hopper=PlainHopper()) as rig:
        await rig.game(2000)
        await press(rig, "session", "session:break")
        await rig.until("break")
        assert (await rig.events("break")) == ["A break of 15 min has begun"]
        assert (rig.front.coins, rig.front.notes) == (False, frozenset())
        await minutes(rig, 10)
        rig.wall_ms += 3_600_000  # neither the clock nor a power cut shortens it
        await rig.restart(until="break")
        assert "spin" not in rig.machine.states.controls
        await minutes(rig, 4)
        assert rig.shown == "break"
        assert await rig.note(500) is False
        await press(rig, "collect")
        await rig.until_true(lambda: rig.credit == 0)
        await rig.until("break")
        await rig.until_true(lambda: rig.front.coins, 4 * MINUTE_S)


async def test_a_loss_limit_is_asked_for_first(tmp_path: Path) -> None:
    """Before the first stake of a session; no limit is an answer where it is asked, and none where it is required."""
    for asked in ("asked", "required"):
        folder = tmp_path / asked
        folder.mkdir()
        async with Rig(folder, draws=always(LOSING), config=house(folder, loss_limit=asked)) as rig:
            await rig.note(2000)
            await rig.until("loss_limit")
            page = rig.screen.view.pages.care
            assert page is not None
            assert page.limit_cents == (0 if asked == "asked" else 100_000)
            assert await rig.meter("games") == 0
            await answered(rig, "spin")
            await rig.until("idle")
            await play(rig)
            assert await rig.meter("games") == 1
            await rig.restart(until="idle")  # and it is asked once


async def test_no_stake_passes_the_loss_limit(tmp_path: Path) -> None:
    """Not over a restart either, nor by autospin; what is won may be played, and another session asks anew."""
    config = house(tmp_path, loss_limit="required", panel=True)
    async with Rig(tmp_path, draws=always(LOSING), config=config, hopper=PlainHopper()) as rig:
        await rig.note(2000)
        await rig.until("loss_limit")
        await answered(rig, *["limit:less"] * 7, "limit:take")
        await rig.until("idle")
        assert await rig.events("loss_limit") == ["The player has set a loss limit of 500 cents"]
        await play(rig, 2)
        await rig.restart(until="idle")
        await play(rig)
        assert await rig.meter("stakes") == 450
        await press(rig, "spin")
        assert (rig.shown, rig.screen.view.message) == ("idle", "limit_reached")
        await rig.restart(until="idle")
        await press(rig, "auto", "spin")
        await rig.until("idle")
        assert rig.screen.view.message == "limit_reached"
        assert await rig.meter("stakes") == 450
        await press(rig, "collect")
        await rig.until("attract", 120.0)
        await rig.note(1000)
        await rig.until("loss_limit")


async def test_a_loss_limit_is_lowered_and_never_raised(tmp_path: Path) -> None:
    """On the session's page lower limits alone are on offer."""
    async with Rig(tmp_path, config=house(tmp_path, loss_limit="asked")) as rig:
        await rig.note(2000)
        await rig.until("loss_limit")
        await answered(rig, "limit:more", "limit:more", "limit:more", "limit:take")
        await rig.until("idle")
        await press(rig, "session", "session:limit")
        page = rig.screen.view.pages.care
        assert page is not None
        assert (page.limit_cents, page.figures.loss_limit_cents) == (1_000, 2_000)
        assert "limit:more" not in rig.machine.states.controls
        await press(rig, "limit:less", "limit:take", "session")
        page = rig.screen.view.pages.care
        assert page is not None
        assert page.figures.loss_limit_cents == 500
        assert "session:limit" not in page.keys  # there is no lower one


@pytest.mark.parametrize("code", [preset.jurisdiction for preset in JURISDICTIONS])
async def test_a_cabinet_plays_by_each_jurisdiction_s_rules(tmp_path: Path, code: str) -> None:
    """Neptune is on offer under all of them, asks first where it must, and stakes no more than it may."""
    async with Rig(tmp_path, draws=always(LOSING), config=jurisdiction(tmp_path, code, "neptune", "bewitched")) as rig:
        games = rig.machine.settings.config.games
        assert ("bewitched" in games.enabled) is (games.largest_prize_cents == 0)  # its pool knows no highest prize
        await rig.note(2000)
        await rig.until_true(lambda: rig.shown in ("lobby", "idle", "loss_limit"))
        if rig.shown == "lobby":
            await press(rig, "game:neptune")
        await rig.until_true(lambda: rig.shown in ("idle", "loss_limit"))
        if rig.shown == "loss_limit":
            await answered(rig, "limit:take")
        await rig.until("idle")
        await press(rig, "max_bet")
        await rig.machine.clock.sleep(5.0)
        await play(rig)
        stakes = await rig.meter("stakes")
        assert 0 < stakes <= (games.largest_stake_cents or 2000)
