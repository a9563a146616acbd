"""Sentences that state what the machine does are said only where it does so, and the rules state what the code does."""

from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from controller.faults import POWER_RESET, known_faults
from controller.journal.errors import CorruptJournalError
from controller.journal.faults import raise_fault
from controller.machine.view import fault_notice, lock_notice
from controller.play.answering import ABSENT_MINUTES
from controller.rounds.draws import seeded_source
from controller.rounds.engine import Round
from gamekit import catalogue
from gamekit.beats import Continue
from gamekit.double_up import CardTurned
from gamekit.hold_and_win import RespinsWon
from gamekit.play import Draw, Offer, Scene, Stake
from games.mona_lisa_jewels.display import words as mona_lisa
from games.mystery_elves.bonuses import Bonus, BonusesLanded
from games.mystery_elves.display import words as elves
from games.mystery_elves.strips import HOLD_RULES
from tests.games.bewitched_table import MOONS
from tests.rigs.bewitched import bewitched
from tests.rigs.machine import Rig
from tests.rigs.stateful.playing import OPENINGS
from tests.rigs.views import changed
from tests.ui.hearing import Hearing
from tests.ui.rehearsal import Rehearsal, game_view, neptune_view
from ui import text
from ui.protocol.messages import View, raw
from ui.theme import load


class Moment(NamedTuple):
    """A round between two segments: its scene, and the offer that is to be answered."""

    scene: Scene
    offer: Offer


def draws(opening: Sequence[int], seed: int) -> Draw:
    """Return draws that bring the reels to an opening, and go on at random."""
    rest = seeded_source(seed)(0, 0)
    values = chain(opening, repeat(None))

    def draw(bound: int, /) -> int:
        value = next(values)
        return rest(bound) if value is None or value >= bound else value

    return draw


def played(name: str, opening: Sequence[int], seed: int) -> Iterator[Moment]:
    """Play a round of the real game at its highest bet, the first of all choices taken; yield its states."""
    game = catalogue.load(name)
    stake = Stake(lines=game.line_counts[-1], coins_per_line=game.coins_per_line[-1], coin_value_cents=1)
    draw = draws(opening, seed)
    round_ = Round(game, stake, "null")
    round_.advance(None, draw)
    for _ in range(200):
        if round_.offer is None:
            return
        yield Moment(round_.final_scene, round_.offer)
        round_.advance(round_.offer.choices[0] if round_.offer.choices else 1_000, draw)


def seen(name: str, moment: Moment) -> View:
    """Return the view that the supervisor publishes there: it waits in the state `offer`, else the round goes on."""
    scene = raw(moment.scene)
    if moment.offer.waits:
        return game_view(name, state="offer", controls=("spin", "service"), scene=scene, offer=raw(moment.offer))
    return game_view(name, state="round", controls=("spin", "service"), scene=scene)


def kind(name: str, moment: Moment) -> tuple[object, ...]:
    """Return what makes two moments different for the words: what is offered, and which spins are under way."""
    picture = load(name).picture(moment.scene)
    jewels = getattr(moment.scene, "jewels_left", 0), getattr(moment.scene, "respin", None) is None
    return (
        type(moment.offer),
        moment.offer.waits,
        picture.free,
        picture.free_played > 0,
        bool(picture.locked),
        *jewels,
    )


def moments(name: str) -> list[Moment]:
    """Return moments of every kind that the game's openings lead to."""
    found: dict[tuple[object, ...], Moment] = {}
    for opening in OPENINGS[name]:
        for seed in range(3):
            for moment in played(name, opening, seed):
                found.setdefault(kind(name, moment), moment)
    return list(found.values())


@pytest.mark.parametrize("name", catalogue.names())
def test_a_press_is_asked_for_where_the_round_waits_for_one_and_nowhere_else(name: str) -> None:
    """Free spins, jewel spins and respins: what starts by itself asks for no press, what waits asks for it."""
    hearing, waiting = Hearing(), 0
    for moment in moments(name):
        said = {words for words in hearing.said(seen(name, moment)) if "press spin" in words.lower()}
        asks = moment.offer.waits and isinstance(moment.offer, Continue)
        assert bool(said) == asks, (kind(name, moment), said)
        waiting += asks
    assert waiting


def test_jewel_spins_in_free_spins_are_announced_as_what_they_are() -> None:
    """The press that starts jewel spins is asked for by their own words; the second of them says that it follows."""
    hearing, said = Hearing(), []
    for moment in moments("mona_lisa_jewels"):
        if getattr(moment.scene, "jewels_left", 0):
            words = hearing.said(seen("mona_lisa_jewels", moment))
            said.append((moment.offer.waits, mona_lisa.PRESS_JEWELS in words, mona_lisa.NEXT_JEWEL in words))
            assert text.FREE_SPINS_START not in words
    assert set(said) == {(True, True, False), (False, False, True)}


def test_the_first_respin_is_asked_for_with_all_that_are_left() -> None:
    """Three respins, before the first of them."""
    asked = [moment for moment in moments("mystery_elves") if moment.offer.waits and isinstance(moment.offer, Continue)]
    hearing = Hearing()
    assert all(elves.PRESS_FIRST in hearing.said(seen("mystery_elves", moment)) for moment in asked)
    assert [moment.offer.left for moment in asked if isinstance(moment.offer, Continue)] == [3]


@pytest.mark.parametrize("shape", ["wide", "tall", "portrait"])
def test_a_locked_machine_does_not_call_the_credit_safe(shape: str) -> None:
    """Its books may say otherwise; in a tilt and out of service the journal holds the credit."""
    hearing = Hearing(shape)
    locked = neptune_view(state="locked", notices=(lock_notice(CorruptJournalError("do not balance")),))
    for view in (locked, msgspec.structs.replace(locked, notices=()), changed(locked, credit_cents=0)):
        said = hearing.said(view)
        assert text.CREDIT_SAFE not in said
        assert text.CREDIT_ASK in said
    for state in ("tilted", "out_of_service", "recovering"):
        said = hearing.said(neptune_view(state=state, notices=(fault_notice("door_open", "main"),)))
        assert text.CREDIT_SAFE in said
        assert text.CREDIT_ASK not in said


async def test_a_locked_machine_shows_no_notice_that_contradicts_it(tmp_path: Path) -> None:
    """A restart left "your credit was kept"; books found damaged after it say otherwise, and only they are shown."""
    hearing, views = Hearing(), []

    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        await rig.machine.journal.do(lambda tx: raise_fault(tx, POWER_RESET, "cabinet"))
        await rig.machine.journal.reload()
        views.append(rig.screen.view)
        rig.machine.journal.lock_up(CorruptJournalError("journal.sqlite: page 17 is damaged"))
        await rig.machine.clock.sleep(1)
        views.append(rig.screen.view)
    restarted, locked = views
    assert restarted.state == "idle"
    assert locked.state == "locked"
    kept = known_faults()[POWER_RESET].text
    assert kept in hearing.said(restarted)
    said = hearing.said(locked)
    assert text.CREDIT_ASK in said
    assert kept not in said
    assert [notice.stops_play for notice in locked.notices] == [True]


@pytest.mark.parametrize("bet_cents", [600, 1_500])
async def test_what_spin_does_with_a_win_is_what_it_does(tmp_path: Path, bet_cents: int) -> None:
    """Bewitched, a note of 15.00, a line win: SPIN is said to play where it stakes the next round, and only there."""
    hearing, heard = Hearing(), []

    async with bewitched(tmp_path, *MOONS) as rig:
        await rig.game(1500)
        while rig.machine.play.bet.cents < bet_cents:
            await rig.press("bet")
        await rig.press("spin")
        await rig.until("gamble_offer")
        view = rig.screen.view
        heard.append(hearing.said(view) & {text.GAMBLE_OR_SPIN, text.GAMBLE_OR_COLLECT})
        await rig.press("spin", 2)
        plays = len(await rig.rows("SELECT id FROM rounds")) > 1
        assert plays == (bet_cents == 600)
        heard.append({text.GAMBLE_OR_SPIN if plays else text.GAMBLE_OR_COLLECT})
    assert heard[0] == heard[1]


@pytest.mark.parametrize("name", ["bewitched", "mystery_elves"])
def test_the_rules_promise_a_play_only_for_a_credit_that_covers_it(name: str) -> None:
    """SPIN instead of GAMBLE collects; whether it plays as well hangs on the credit."""
    rules = " ".join(words for _, words in load(name).rules(catalogue.load(name).gamble_cap_cents))
    assert "SPIN instead of GAMBLE collects, and plays if the credit then covers the bet." in rules


def test_a_feature_s_highest_wins_are_not_called_rarer_than_the_lines() -> None:
    """Mystery Elves: GRAND alone pays what the lines pay at most, and hundreds of times as often."""
    rules = " ".join(words for _, words in load("mystery_elves").rules(0))
    assert "features may win more." in rules
    assert "lower chance" not in rules


def test_the_words_about_a_lost_connection_promise_nothing_that_is_not_known() -> None:
    """What the display has shown is in the books (nothing is shown before it is durable); more it does not know."""
    assert "safe" not in text.RECONNECTING


@pytest.mark.parametrize("name", catalogue.names())
def test_every_game_says_when_a_round_ends_without_its_player(name: str) -> None:
    """In powered-on hours, as the machine counts them."""
    rules = " ".join(words for _, words in load(name).rules(catalogue.load(name).gamble_cap_cents))
    assert text.ABSENT_HOURS * 60 == ABSENT_MINUTES
    assert f"{text.ABSENT_HOURS} powered-on hours" in rules
    assert f"{text.ABSENT_HOURS} hours" not in rules


def test_a_joker_counts_as_the_colour_that_was_guessed() -> None:
    """Mystery Elves alone has one; it turns up for right guesses only, for either colour, and its rules say so."""
    game = catalogue.load("mystery_elves")
    with_joker = {
        name
        for name in catalogue.names()
        if "joker" in " ".join(words for _, words in load(name).rules(catalogue.load(name).gamble_cap_cents))
    }
    assert with_joker == {"mystery_elves"}
    jokers = set()
    for seed in range(120):
        draw = draws(OPENINGS["mystery_elves"][1], seed)
        round_ = Round(game, Stake(lines=10, coins_per_line=1, coin_value_cents=1), "null")
        round_.advance(None, draw)
        while round_.offer is not None:
            guess = 1 + seed % 2 if round_.offer.gamble else round_.offer.choices[0]
            round_.advance(guess, draw)
            for step in round_.steps:
                turned = msgspec.json.decode(step, type=game.step_type)
                if isinstance(turned, CardTurned) and turned.card == "joker":
                    assert turned.won
                    jokers.add(turned.choice)
    assert jokers == {1, 2}


def test_the_bonus_symbol_that_fills_the_last_cell_promises_no_respin() -> None:
    """A new symbol brings three respins again, but for the one after which none is played."""
    hearing, heard = Hearing(), {}
    for landed in (1, 9):
        rehearsal = Rehearsal(context=hearing.context)
        rehearsal.view(game_view("mystery_elves", state="round", controls=("spin", "service")))
        cells = tuple(HOLD_RULES.cells)
        steps = [
            BonusesLanded(bonuses=tuple(Bonus(cell=cell, carries=1) for cell in cells[:6])),
            RespinsWon(3, cells[:6]),
            BonusesLanded(bonuses=tuple(Bonus(cell=cell, carries=1) for cell in cells[6 : 6 + landed])),
        ]
        rehearsal.show(steps, credit_cents=12_350, win_cents=0)
        said: set[str] = set()
        for _ in range(120):
            rehearsal.wait(0.1)
            said |= hearing.by(rehearsal)
        heard[landed] = {elves.LANDED, elves.FILLED} & said
    assert heard == {1: {elves.LANDED}, 9: {elves.FILLED}}
