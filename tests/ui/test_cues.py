from itertools import groupby

import pytest

from controller.machine.view import fault_notice
from gamekit.beats import CascadeFell, LineWin, ReelsLanded, WaysWin
from gamekit.cascades import Falling
from gamekit.double_up import RED, CardTurned
from gamekit.play import Step
from games.star_quarry.pays import CASCADES
from games.star_quarry.strips import REELS as QUARRY_REELS
from tests.ui.hall import Hall
from tests.ui.programme import PROGRAMME, chests, idle
from tests.ui.programme_double_up import RISK, guess, offered
from tests.ui.programme_star_quarry import falls, found, quarry_view
from tests.ui.rehearsal import Rehearsal, neptune_view
from ui.cues import PLAIN
from ui.protocol.messages import Notice, Show, View, raw
from ui.protocol.values import Volumes

BURSTING = ((0, 1), (1, 0), (2, 1))
"""Cells that win."""


def test_each_reel_is_heard_stopping_and_the_win_after_them() -> None:
    """Five stops, then the win, with the reels' and the roll-up's loops meanwhile."""
    hall = Hall()
    hall.view(neptune_view(state="round"))
    hall.show(ReelsLanded((2, 2, 2, 2, 2)), LineWin(1, "ten", 3, coins=60))
    assert [name for name in hall.ear.heard if not name.startswith("scatter")] == ["reel_stop"] * 5 + [
        "line_win_medium"
    ]
    assert {"reel_spin", "roll_up"} <= hall.ear.looped


def test_a_plain_win_is_a_tone_and_a_figure() -> None:
    """After the reels one tone, the same for every win; nothing rolls up, the whole amount is there at once."""
    hall = Hall()
    hall.view(neptune_view(state="round"))
    hall.show(ReelsLanded((2, 2, 2, 2, 2)), LineWin(1, "ten", 3, coins=60), plain=True)
    assert [name for name in hall.ear.heard if not name.startswith("scatter")] == ["reel_stop"] * 5 + [PLAIN]
    assert "roll_up" not in hall.ear.looped
    assert hall.director.win(hall.now) == 300


def test_a_chain_of_cascades_climbs() -> None:
    """Each cascade bursts a note higher, the multiplier's steps rise with it, and what falls is heard landing."""
    steps = found("chain")[0]
    hall = Hall()
    hall.view(quarry_view(state="round"))
    hall.show(*steps)
    heard = [name for name in hall.ear.heard if name.startswith(("burst", "step", "fall"))]
    turns = [name for name, _ in groupby(heard)]
    expected = [name for number in range(1, falls(steps) + 1) for name in (f"burst_{number}", f"step_{number}", "fall")]
    assert turns == expected
    assert len(heard) > len(turns), "reels land one after another"


def test_the_top_of_the_ladder_is_reached_once() -> None:
    """A cascade that pays no more than the one before has no step; its burst is still higher."""
    stops = (0, 0, 0, 0, 0)
    falling, steps = Falling(QUARRY_REELS, stops), list[Step]([ReelsLanded(stops)])
    for number in range(1, 6):
        falling.fall(BURSTING)
        win = WaysWin("amber", 3, 1, BURSTING, CASCADES.multiplier(number - 1), coins=4)
        steps += [win, CascadeFell(number, BURSTING, falling.window, CASCADES.multiplier(number))]
    hall = Hall()
    hall.view(quarry_view(state="round"))
    hall.show(*steps)
    assert [name for name in hall.ear.heard if name.startswith("burst")] == [f"burst_{n}" for n in range(1, 6)]
    assert [name for name in hall.ear.heard if name.startswith("step")] == ["step_1", "step_2", "step_3"]


def test_a_plain_chain_is_not_celebrated() -> None:
    """What falls lands; nothing bursts or climbs to be heard."""
    hall = Hall()
    hall.view(quarry_view(state="round"))
    hall.show(*found("chain")[0], plain=True)
    assert "fall" in hall.ear.heard
    assert not [name for name in hall.ear.heard if name.startswith(("burst", "step"))]


def test_a_card_is_heard_turning_and_then_what_it_was() -> None:
    """Nothing is revealed before the card lies open; a loss has a sound of its own."""
    for won, sound in ((True, "card_won"), (False, "card_lost")):
        hall = Hall()
        rehearsal = Rehearsal()
        offered(rehearsal)
        hall.view(rehearsal.director.view)
        hall.show(CardTurned(choice=RED, card="heart", won=won, cents=RISK if won else -RISK))
        assert hall.ear.heard == ["card_flip", sound]


def test_the_world_and_the_player_s_volumes_reach_the_sounds() -> None:
    """With the next frame, as the mute does; in the lobby no world is left."""
    hall = Hall()
    hall.view(neptune_view(volumes=Volumes(wins=40)))
    assert (hall.ear.world, hall.ear.volumes) == ("neptune", Volumes(wins=40))
    hall.view(View(state="lobby"))
    assert hall.ear.world == ""


def test_the_house_s_volume_lies_over_the_player_s() -> None:
    """C.4: nothing is louder than the house lets it be, and the player's page shows the player's own."""
    hall = Hall()
    hall.view(neptune_view(volumes=Volumes(wins=40, overall=50), loudest_percent=30))
    assert hall.ear.volumes == Volumes(wins=40, overall=15)


def test_a_volume_is_heard_while_it_is_chosen() -> None:
    """Each step plays what it makes louder or softer; opening the page and moving on it play nothing."""
    hall = Hall()
    for focus, wins in (("wins", 100), ("wins", 90), ("game", 90), ("game", 90)):
        view = neptune_view(state="settings", focus=f"volume:{focus}", volumes=Volumes(wins=wins))
        hall.view(view)
    assert hall.ear.heard == ["line_win_small"]
    hall.view(neptune_view(state="settings", focus="volume:game", volumes=Volumes(wins=90, game=50)))
    assert hall.ear.heard == ["line_win_small", "reel_stop"]
    assert hall.ear.looped == {"background"}


def test_the_music_follows_the_scene() -> None:
    """A feature's own scene has the feature's music; the card table keeps the base game's."""
    rehearsal = Rehearsal()
    for screen, music in (
        (guess, "background"),
        (idle, "background"),
        (chests, "feature_music"),
        (PROGRAMME["mona_lisa_jewels_jewels_held"], "feature_music"),
    ):
        screen(rehearsal)
        hall = Hall()
        hall.view(rehearsal.director.view)
        assert hall.ear.looped == {music}


def test_a_coin_and_a_note_sound_differently() -> None:
    """Money in is heard as what it is; nothing is heard when nothing came."""
    hall = Hall()
    for credit_cents in (0, 50, 50, 1_050):
        hall.view(neptune_view(credit_cents=credit_cents))
    assert hall.ear.heard == ["coin_in", "note_in"]


def test_a_door_and_a_hand_pay_call_once() -> None:
    """An alarm starts with the state, not with every snapshot of it."""
    hall = Hall()
    door = Notice("door_open", "The main door is open", "main", "attendant", stops_play=True, alarm=True)
    for _ in range(2):
        hall.view(neptune_view(state="tilted", notices=(door,)))
    for _ in range(2):
        hall.view(neptune_view(state="handpay"))
    assert hall.ear.heard == ["door_alarm", "attendant_call"]


@pytest.mark.requirement("D2", "D8")
def test_each_new_alarm_is_heard_whatever_stands_already() -> None:
    """A second door under the first, and notes on a string in mid-game, are each heard once."""
    hall = Hall()
    main, logic = (fault_notice("door_open", door) for door in ("main", "logic"))
    hall.view(neptune_view(state="tilted", notices=(main,)))
    hall.view(neptune_view(state="tilted", notices=(main, logic)))
    hall.view(neptune_view(state="tilted", notices=(logic,)))
    assert hall.ear.heard == ["door_alarm"] * 2
    hall.view(neptune_view(notices=(fault_notice("door_closed", "main"),)))
    for _ in range(2):
        hall.view(neptune_view(notices=(fault_notice("note_yoyo", "bill_validator"),)))
    assert hall.ear.heard == ["door_alarm"] * 3


@pytest.mark.requirement("D2", "D8")
def test_an_alarm_goes_round_until_it_is_over_or_a_key_has_silenced_it() -> None:
    """The door's, and one of the notes in mid-game; a second door rings though the first was silenced."""
    main, logic = (fault_notice("door_open", door) for door in ("main", "logic"))
    heard = fault_notice("door_open", "main", silenced=True)
    yoyo = fault_notice("note_yoyo", "bill_validator")
    for notices, rings in (
        ((main,), True),
        ((heard,), False),
        ((heard, logic), True),
        ((fault_notice("door_closed", "main"),), False),
        ((yoyo,), True),
        ((), False),
    ):
        hall = Hall()
        hall.view(neptune_view(state="tilted", notices=notices))
        assert ("door_alarm" in hall.ear.looped) is rings


def test_a_large_win_calls_the_attendant() -> None:
    """Once, with the state; its own fanfare was the show's."""
    hall = Hall()
    for _ in range(2):
        hall.view(neptune_view(state="large_win", large_win_cents=250_000))
    assert hall.ear.heard == ["attendant_call"]


def test_reels_that_a_door_stops_are_heard_stopping_and_no_win() -> None:
    """The alarm, the reels coming to rest, and nothing of what is not shown."""
    hall = Hall()
    hall.view(neptune_view(state="round"))
    steps = (ReelsLanded((1, 2, 3, 4, 5)), LineWin(1, "ten", 3, coins=60))
    hall.director.handle(Show(1, 1, tuple(map(raw, steps)), credit_cents=12_350, win_cents=300), hall.now)
    hall.view(neptune_view(state="tilted", notices=(fault_notice("door_open", "main"),)))
    for _ in range(300):
        hall.now += 1 / 60
        hall.director.advance(hall.now)
        hall.cues.follow(hall.director, hall.now)
    assert hall.ear.heard == ["door_alarm", *["reel_stop"] * 5]


def test_mute_follows_the_view() -> None:
    """The player's choice reaches the sounds with the next frame."""
    hall = Hall()
    hall.view(neptune_view(muted=True))
    assert hall.ear.muted
