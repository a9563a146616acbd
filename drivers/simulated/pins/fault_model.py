"""Faults of a coin or note acceptor with pulse output."""

from typing import Final

from drivers.simulated.fault_model.rows import How, Row

ROWS: Final = (
    Row(
        name="not_recognised",
        how=How.NEXT,
        event="A coin or note is not recognised: no pulse.",
        money="It comes back.",
        source="DG600F technical manual, 4.3",
        test="pins/test_pulse_mishaps.py::test_what_befalls_a_coin",
    ),
    Row(
        name="swallowed",
        how=How.NEXT,
        event="A coin or note is taken, and no pulse is given.",
        money="It is in the box, uncredited.",
        source="field: no acknowledgement, nothing is repeated",
        test="pins/test_pulse_mishaps.py::test_what_befalls_a_coin",
    ),
    Row(
        name="pulse_lost",
        how=How.NEXT,
        event="One pulse fewer is given, or seen.",
        money="It is in the box, credited as another value.",
        source="field: pulses are missed",
        test="pins/test_pulse_mishaps.py::test_what_befalls_a_coin",
    ),
    Row(
        name="pulse_added",
        how=How.NEXT,
        event="One pulse more is given, or seen.",
        money="It is in the box, credited as another value.",
        source="field: contacts bounce",
        test="pins/test_pulse_mishaps.py::test_what_befalls_a_coin",
    ),
    Row(
        name="obeys_late",
        how=How.NEXT,
        event="The end of the enable line's current is obeyed 0.3 s later.",
        money="What comes until then is taken, and gives its pulses.",
        source="makers' manuals: inhibit acts on the next coin",
        test="pins/test_pulse_mishaps.py::test_an_inhibit_that_is_obeyed_late",
    ),
    Row(
        name="noise",
        how=How.HAND,
        event="So many disturbances of 3 ms on the line.",
        money="None.",
        source="field: long cables",
        test="pins/test_pulse_acceptor.py::test_noise_a_stuck_line_and_pulses_too_few_or_too_many",
    ),
    Row(
        name="stuck",
        how=How.LASTS,
        event="The lines are held active.",
        money="None.",
        source="field: a broken output",
        test="pins/test_pulse_acceptor.py::test_noise_a_stuck_line_and_pulses_too_few_or_too_many",
    ),
    Row(
        name="unplugged",
        how=How.LASTS,
        event="Nobody holds the lines.",
        money="None.",
        source="field: a pulled plug",
        test="pins/test_pulse_acceptor.py::test_noise_a_stuck_line_and_pulses_too_few_or_too_many",
    ),
    Row(
        name="lost",
        how=How.HAND,
        event="The next so many pulses are not given.",
        money="The coin is in the box, credited as another value.",
        source="field: pulses are missed",
        test="pins/test_pulse_acceptor.py::test_noise_a_stuck_line_and_pulses_too_few_or_too_many",
    ),
    Row(
        name="extra",
        how=How.HAND,
        event="So many pulses more are given with the next coin.",
        money="It is in the box, credited as another value.",
        source="field: contacts bounce",
        test="pins/test_pulse_acceptor.py::test_noise_a_stuck_line_and_pulses_too_few_or_too_many",
    ),
    Row(
        name="merges",
        how=How.LASTS,
        event="No pause is made between two coins' pulses.",
        money="Both are in the box, credited as one other value.",
        source="field: coins in quick succession",
        test="pins/test_pulse_acceptor.py::test_two_coins_are_two_bursts_or_run_together",
    ),
    Row(
        name="pulse_ms",
        how=How.HAND,
        event="The length of a pulse is set otherwise.",
        money="Coins are in the box; their pulses may be taken for noise.",
        source="DG600F technical manual, 4.3: 25, 45, 65 or 100 ms",
        test="pins/test_pulse_mishaps.py::test_its_switches",
    ),
    Row(
        name="rest_ms",
        how=How.HAND,
        event="The rest between two pulses is set otherwise.",
        money="Coins are in the box; their pulses may be taken for two coins.",
        source="ICT manuals: fast and slow output",
        test="pins/test_pulse_mishaps.py::test_its_switches",
    ),
    Row(
        name="cut_in_a_burst",
        how=How.ALWAYS,
        event="A power cut loses the pulses that were still to come; nothing repeats them.",
        money="The coin is in the box, uncredited or credited as another value.",
        source="field: no acknowledgement, nothing is repeated",
        test="pins/test_pulse_acceptor.py::test_a_cut_loses_the_pulses_and_keeps_the_coin",
    ),
)

FAULT_MODEL: Final = {"pulse acceptor": ROWS}
