"""Faults of an EBDS bill validator."""

from typing import Final

from drivers.simulated.fault_model.rows import How, Row

ROWS: Final = (
    Row(
        name="jam_on_the_way",
        how=How.NEXT,
        event='A note that was ordered into the stacker jams before it: bit "jammed" as long as that lasts.',
        money="It stays inside.",
        source="EBDS, status bit 2 (jammed)",
        test="ebds/test_mishaps.py::test_what_befalls_a_note_after_the_order",
    ),
    Row(
        name="jam_in_stacker",
        how=How.NEXT,
        event="A note that was ordered into the stacker jams in it: the same bit.",
        money="It stays inside.",
        source="EBDS, status bit 2 (jammed)",
        test="ebds/test_mishaps.py::test_what_befalls_a_note_after_the_order",
    ),
    Row(
        name="jam_after_credit",
        how=How.NEXT,
        event='"Stacked" with the note\'s value, and then "jammed" before the plate has stacked it.',
        money="Credited, and not yet in the box.",
        source="makers' manuals: notes jam between the last sensor and the plate",
        test="ebds/test_mishaps.py::test_what_befalls_a_note_after_the_order",
    ),
    Row(
        name="cassette_out_on_the_way",
        how=How.NEXT,
        event='Somebody takes the cassette out while a note is on its way into it: the bit "cassette present" goes.',
        money="The note falls beside the cassette into the cabinet.",
        source="EBDS, status bit 4 (cassette); makers' manuals",
        test="ebds/test_mishaps.py::test_a_note_falls_beside_a_cassette_that_is_put_back",
    ),
    Row(
        name="returned_in_spite",
        how=How.NEXT,
        event='Stack is ordered, and the note comes back: "returned".',
        money="It is the player's.",
        source="EBDS, state bit 6; no document: a device that does not do what it was told; a host must bear it",
        test="ebds/test_mishaps.py::test_what_befalls_a_note_after_the_order",
    ),
    Row(
        name="stacked_in_spite",
        how=How.NEXT,
        event='Return is ordered, and the note is stacked: "stacked" with its value.',
        money="It is in the box, and has to be credited.",
        source="EBDS, state bit 4; no document: a device that does not do what it was told; a host must bear it",
        test="ebds/test_mishaps.py::test_what_befalls_a_note_after_the_order",
    ),
    Row(
        name="pulled_on_the_way",
        how=How.NEXT,
        event='The note is drawn out on a string on its way: "cheated".',
        money="The player has it, and nothing was credited.",
        source="EBDS, status bit 0 (cheated)",
        test="ebds/test_mishaps.py::test_what_befalls_a_note_after_the_order",
    ),
    Row(
        name="pulled_after_credit",
        how=How.NEXT,
        event='"Stacked" with its value, and the note is drawn out on a string: "cheated".',
        money="Credited, and the player has the note, too.",
        source="EBDS, status bit 0 (cheated)",
        test="ebds/test_mishaps.py::test_what_befalls_a_note_after_the_order",
    ),
    Row(
        name="end_unreported",
        how=How.NEXT,
        event='The note is stacked, and "stacked" is never said.',
        money="It is in the box, uncredited.",
        source=(
            "EBDS, power-up policy A does so over a cut; no document: a device that does not do what it was told; "
            "a host must bear it"
        ),
        test="ebds/test_mishaps.py::test_what_befalls_a_note_after_the_order",
    ),
    Row(
        name="return_unreported",
        how=How.NEXT,
        event='The note is returned, and "returned" is never said.',
        money="It is the player's.",
        source="no document: a device that does not do what it was told; a host must bear it",
        test="ebds/test_mishaps.py::test_what_befalls_a_note_after_the_order",
    ),
    Row(
        name="reset_after_end",
        how=How.NEXT,
        event=(
            'Its supply fails for an instant before "stacked" was heard; policy B alone has it reported after the '
            "start."
        ),
        money="It is in the box.",
        source="EBDS, power-up policies (omnibus data 2, bits 2 and 3)",
        test="ebds/test_mishaps.py::test_a_reset_after_the_end",
    ),
    Row(
        name="start_stacks",
        how=How.NEXT,
        event=(
            "At the next start what is inside, jammed or not, is stacked; policy B alone has it reported with its "
            "value."
        ),
        money=(
            "It is in the box. A note from escrow that nobody ordered and policy A stacks is found by who counts the "
            "box."
        ),
        source="EBDS, power-up policies",
        test="ebds/test_mishaps.py::test_a_start_leaves_stacks_or_returns_what_is_jammed",
    ),
    Row(
        name="start_returns",
        how=How.NEXT,
        event="At the next start what is inside, jammed or not, is returned.",
        money="It is the player's.",
        source="EBDS, power-up policies",
        test="ebds/test_mishaps.py::test_a_start_leaves_stacks_or_returns_what_is_jammed",
    ),
    Row(
        name="order_refused",
        how=How.NEXT,
        event='The order is answered with "invalid command".',
        money="The note stays in escrow.",
        source="EBDS, condition bit 1 (invalid command)",
        test="ebds/test_mishaps.py::test_an_order_that_is_not_obeyed",
    ),
    Row(
        name="order_ignored",
        how=How.NEXT,
        event="The order is not obeyed, and nothing is said.",
        money="The note stays in escrow.",
        source="no document: a device that does not do what it was told; a host must bear it",
        test="ebds/test_mishaps.py::test_an_order_that_is_not_obeyed",
    ),
    Row(
        name="blank_at_start",
        how=How.NEXT,
        event='"Stacked" with a value of 0 is reported after power-up, though no note was inside.',
        money="None.",
        source="MPOST and crate `ebds`, as public drivers describe the device",
        test="ebds/test_mishaps.py::test_a_blank_stacked_at_power_up",
    ),
    Row(
        name="blank_at_cassette",
        how=How.NEXT,
        event='"Stacked" with a value of 0 is reported when the cassette is put back, though no note was inside.',
        money="None.",
        source="MPOST and crate `ebds`, as public drivers describe the device",
        test="ebds/test_mishaps.py::test_a_blank_stacked_when_the_cassette_is_put_back",
    ),
    Row(
        name="unreadable",
        how=How.NEXT,
        event='A note or ticket is not recognised: "rejected".',
        money="It comes back.",
        source="EBDS, status bit 1 (rejected)",
        test="ebds/test_mishaps.py::test_not_recognised_by_chance",
    ),
    Row(
        name="stacker_full",
        how=How.LASTS,
        event='Bit "stacker full" as long as that lasts.',
        money="Nothing is drawn in.",
        source="EBDS, status bit 3",
        test="ebds/test_mishaps.py::test_a_lasting_fault",
    ),
    Row(
        name="stacker_open",
        how=How.LASTS,
        event='Bit "cassette present" is gone as long as the cassette is out.',
        money="What is inside stays.",
        source="EBDS, status bit 4",
        test="ebds/test_mishaps.py::test_a_lasting_fault",
    ),
    Row(
        name="acceptor_jam",
        how=How.LASTS,
        event='Bit "jammed" as long as the path is jammed.',
        money="What is inside stays.",
        source="EBDS, status bit 2",
        test="ebds/test_mishaps.py::test_a_lasting_fault",
    ),
    Row(
        name="stacker_jam",
        how=How.LASTS,
        event='Bit "jammed" as long as the stacker is jammed.',
        money="What is inside stays.",
        source="EBDS, status bit 2",
        test="ebds/test_mishaps.py::test_a_lasting_fault",
    ),
    Row(
        name="failure",
        how=How.LASTS,
        event='Bit "failure" as long as the device is broken.',
        money="What is inside stays.",
        source="EBDS, condition bit 2",
        test="ebds/test_mishaps.py::test_a_lasting_fault",
    ),
    Row(
        name="pause",
        how=How.LASTS,
        event='Bit "paused": a second note at the mouth.',
        money="The first one waits inside.",
        source="EBDS, status bit 5",
        test="ebds/test_mishaps.py::test_a_lasting_fault",
    ),
    Row(
        name="cheated",
        how=How.LASTS,
        event='Bit "cheated", once.',
        money="None.",
        source="EBDS, status bit 0",
        test="ebds/test_mishaps.py::test_a_lasting_fault",
    ),
    Row(
        name="pulled_back",
        how=How.HAND,
        event='Somebody pulls the note out of escrow: "returned".',
        money="The player has it.",
        source="makers' manuals",
        test="ebds/test_mishaps.py::test_a_note_in_escrow_and_a_hand_or_a_brown_out",
    ),
    Row(
        name="brown_out",
        how=How.HAND,
        event="The device's own supply fails for an instant: power-up, and what is inside goes by the policy.",
        money="Returned or stacked.",
        source="EBDS, power-up policies",
        test="ebds/test_mishaps.py::test_a_note_in_escrow_and_a_hand_or_a_brown_out",
    ),
    Row(
        name="swapped",
        how=How.HAND,
        event="Another device of its make is put in its place: power-up, and another serial number for whoever asks.",
        money="The old one is carried away with what is inside.",
        source="EBDS, auxiliary command 05",
        test="ebds/test_mishaps.py::test_another_device_in_its_place",
    ),
    Row(
        name="jam_to_box",
        how=How.HAND,
        event='Somebody pushes the jammed note on into the box: the bit "jammed" goes.',
        money="It is in the box, uncredited.",
        source="no document: a device that does not do what it was told; a host must bear it",
        test="ebds/test_mishaps.py::test_a_jam_cleared_by_hand_is_followed_by_no_word_of_the_note",
    ),
    Row(
        name="jam_to_mouth",
        how=How.HAND,
        event='Somebody pushes the jammed note back out of the mouth: the bit "jammed" goes.',
        money="The player has it.",
        source="no document: a device that does not do what it was told; a host must bear it",
        test="ebds/test_mishaps.py::test_a_jam_cleared_by_hand_is_followed_by_no_word_of_the_note",
    ),
    Row(
        name="jam_to_hand",
        how=How.HAND,
        event='A technician takes the jammed note out: the bit "jammed" goes.',
        money="The technician has it.",
        source="no document: a device that does not do what it was told; a host must bear it",
        test="ebds/test_mishaps.py::test_a_jam_cleared_by_hand_is_followed_by_no_word_of_the_note",
    ),
    Row(
        name="escrow_over_a_cut",
        how=How.ALWAYS,
        event=(
            "What a power cut catches goes by the power-up policy of the host's first message: returned, held or "
            "stacked."
        ),
        money="As the replies after the start say; only B gives the value of what was stacked.",
        source="EBDS, power-up policies",
        test="ebds/test_bill_validator.py::test_power_up_after_escrow",
    ),
)
