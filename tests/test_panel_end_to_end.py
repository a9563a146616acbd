"""Panel, expander, meters and logic door of a whole cabinet in real processes: devices here, supervisor there."""

import time
from pathlib import Path

import pytest

from tests.rigs.hall import Hall, until


@pytest.mark.processes
def test_a_cabinet_with_an_expander_a_latch_and_plugs(tmp_path: Path) -> None:
    """Lamps on the expander, its loss and return, a killed supervisor, the logic door, and a meter's plug."""
    hall = Hall(tmp_path)
    with hall.devices():
        with hall.supervisor() as supervisor:
            assert ("port_lost", "expander 0x20") not in hall.faults()
            hall.hand.do("fault x20 unplugged")
            until(lambda: ("port_lost", "expander 0x20") in hall.faults())
            hall.sees(lambda front: not any(front.lamps.values()))
            hall.hand.do("fault x20 unplugged off")
            hall.sees(lambda front: front.lamps["service"])

            hall.hand.do("fault meter_drop unplugged")
            until(lambda: ("meter_unplugged", "meter_drop") in hall.faults())
            hall.hand.do("fault meter_drop unplugged off")
            until(lambda: ("meter_unplugged", "meter_drop") not in hall.faults())

            supervisor.kill()
            # the reset line falls with the process, and the chip's outputs with it
            hall.sees(lambda front: not any(front.lamps.values()) and not any(front.tower.values()))
        hall.hand.do("mains off")
        hall.hand.do("door logic open")
        hall.hand.do("door logic close")
        hall.hand.do("mains on")
        assert hall.sees(lambda front: front.mains).latched
        with hall.supervisor():
            hall.sees(lambda front: not front.latched)
            assert ("logic_opened", "logic") in hall.faults()
            assert hall.meter("door_logic") == 1
            hall.clear_with_new_pin(("logic_opened", "logic"))


@pytest.mark.requirement("G3", "P9")
@pytest.mark.processes
def test_a_held_button_plays_once(tmp_path: Path) -> None:
    """SPIN held down for as long as several rounds last is one play; MAX BET pressed beside it is none."""
    hall = Hall(tmp_path)
    with hall.run.configuration.open("a") as configuration:
        configuration.write("[timing]\nundisplayed_show_ms = 50\n")
    with hall.devices(), hall.supervisor():
        until(lambda: hall.books.rows("SELECT 1 FROM events WHERE code = 'device_fitted'") != [])
        while hall.books.credit_cents < 1000:
            hall.hand.do("take note")
            hall.hand.do("note 10")
            time.sleep(2.0)
        while not hall.sees(lambda _front: True).lamps["max_bet"]:
            hall.hand.do("tap spin")
            time.sleep(0.3)
        hall.hand.do("press spin")
        until(lambda: hall.meter("games") == 1)
        hall.hand.do("tap max_bet")
        time.sleep(3.0)
        assert hall.meter("games") == 1
        hall.hand.do("release spin")
        while hall.meter("games") == 1:
            hall.hand.do("tap spin")
            time.sleep(0.3)
