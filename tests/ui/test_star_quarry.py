"""Star Quarry on the screen: its rounds end on their true figures, and what its screens say is what the tables say."""

import pytest

from gamekit.beats import CascadeFell, Continue, WaysWin
from gamekit.play import Beat, Offer
from games.star_quarry.display import rules
from games.star_quarry.display.theme import THEME
from games.star_quarry.pays import CASCADES, FREE_CASCADES, PAYS
from tests.rigs.views import changed
from tests.ui.programme_star_quarry import BET, GAME, STAKE, folded, found, quarry_view, until
from tests.ui.rehearsal import Rehearsal
from tests.ui.said import spoken
from ui.cascade_acts import CascadeAct, WaysAct
from ui.layout import WIDE, centre
from ui.protocol.messages import Hurry, raw
from ui.scenes.lines import Paylines
from ui.scenes.wins import WinShow

SPIN = centre(WIDE.hud.buttons["spin"])


@pytest.mark.parametrize("wanted", ["chain", "free"])
def test_every_coin_of_a_round_is_shown_and_ends_on_its_figures(wanted: str) -> None:
    """Each segment's WIN is exact at its end, and every offer finds its live control under the finger."""
    rehearsal = Rehearsal()
    scene, won, credit = GAME.idle, 0, 50_000
    for segment in found(wanted)[:4]:
        plain = quarry_view(state="round", scene=raw(scene), controls=("spin",))
        rehearsal.view(changed(plain, credit_cents=credit, win_cents=won))
        won += sum(step.coins for step in segment if isinstance(step, Beat)) * BET.coin_value_cents
        number = rehearsal.show(list(segment), credit_cents=credit, win_cents=won, turbo=True)
        for _ in range(240):
            rehearsal.wait(0.5)
            rehearsal.picture()
            if rehearsal.director.performance is None or rehearsal.director.performance.ended:
                break
        assert [answer.number for answer in rehearsal.said if hasattr(answer, "number")][-1] == number
        assert rehearsal.director.win(rehearsal.now) == won
        for step in segment:
            scene = GAME.advance(scene, STAKE, step)
        offer = segment[-1]
        if isinstance(offer, Continue):
            controls = ("spin", "service")
            rehearsal.view(quarry_view(state="offer", scene=raw(scene), offer=raw(offer), controls=controls))
            rehearsal.picture()
            assert rehearsal.scene_manager.touch(*SPIN, rehearsal.now) == "spin"
        assert not isinstance(offer, Offer) or isinstance(offer, Continue)


def test_a_display_that_starts_in_mid_round_shows_the_window_after_the_cascades() -> None:
    """Not what the strips show at the stops."""
    steps = found("chain")[0]
    last = [step for step in steps if isinstance(step, CascadeFell)][-1]
    picture = THEME.picture(folded(*steps))
    assert picture.window == last.window


def test_ways_are_named_with_their_count_and_amount() -> None:
    """While a symbol is lit the line says how many, on how many ways, and what that pays, as the step has it."""
    rehearsal = Rehearsal()
    steps = found("two_symbols")[0]
    win = next(step for step in steps if isinstance(step, WaysWin))
    rehearsal.view(quarry_view(state="round", controls=("spin",)))
    rehearsal.show(list(steps), credit_cents=20_000, win_cents=5_000)
    until(rehearsal, "WaysAct", after=0.3)
    performance = rehearsal.director.performance
    assert performance is not None
    assert isinstance(performance.act, WaysAct)
    wins = WinShow(rehearsal.context, THEME, Paylines(rehearsal.context, THEME))
    words = wins.ways(rehearsal.scene_manager.stage, performance.act, rehearsal.director, rehearsal.now)
    cents = win.coins * BET.coin_value_cents
    name = THEME.symbols[win.symbol]
    assert f"{win.count} × {name} · {win.ways} way" in words  # noqa: RUF001  the multiplication sign
    assert f"{cents // 100}.{cents % 100:02} €" in words


def test_stop_shortens_the_wins_and_the_cascades_that_follow() -> None:
    """After one press the rest of the show is twice as fast, and the window after the fall is the true one."""
    rehearsal = Rehearsal()
    steps = found("chain")[0]
    rehearsal.view(quarry_view(state="round", controls=("spin",)))
    number = rehearsal.show(list(steps), credit_cents=20_000, win_cents=5_000)
    until(rehearsal, "WaysAct")
    first = rehearsal.director.performance
    assert first is not None
    assert isinstance(first.act, WaysAct)
    rehearsal.director.handle(Hurry(number), rehearsal.now)
    assert first.act.ends_at() - rehearsal.now <= 0.25
    until(rehearsal, "CascadeAct")
    cascade = rehearsal.director.performance
    assert cascade is not None
    assert isinstance(cascade.act, CascadeAct)
    assert cascade.act.ends_at() - rehearsal.now < 1.0


def test_the_ladders_on_the_screen_are_those_of_the_maths() -> None:
    """Base game and free spins; the sign names as many ways as there are."""
    assert (THEME.steps, THEME.free_steps) == (CASCADES.multipliers, FREE_CASCADES.multipliers)  # type: ignore[attr-defined]
    assert THEME.ways == GAME.rows**GAME.reels == 243


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_rules_name_the_figures_of_the_tables(language: str) -> None:
    """Ways, reels, multipliers, Beacons and free spins, in both languages."""
    with spoken(language):
        words = " ".join(words for _, words in rules.rules())
    for figure in ("243", "× 1, × 2, × 3, × 5", "× 2, × 4, × 6, × 10", "10"):  # noqa: RUF001  multiplication signs
        assert figure in words


def test_each_paying_symbol_is_on_the_paytable_with_its_pays() -> None:
    """And Comet and Beacon say what they do instead."""
    assert {name for name in THEME.symbols if THEME.line_pays(name)} == set(PAYS)
    assert set(THEME.notes()) == {"comet", "beacon"}
