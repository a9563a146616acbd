"""Faults of a ccTalk bill validator."""

from typing import Final

from drivers.simulated.fault_model.rows import How, Row

ROWS: Final = (
    Row(
        name="jam_in_reach",
        how=How.NEXT,
        event=(
            'A note that was ordered into the stacker jams where a hand reaches it: event (0,6), "bill jammed in '
            'transport (unsafe)".'
        ),
        money=(
            "It stays there; it comes back, is pulled out, or goes on when the jam is over. Nothing is credited "
            "meanwhile."
        ),
        source="ccTalk part 3, table 7, code 6",
        test="cctalk/test_bill_mishaps.py::test_a_jam_after_the_order_keeps_the_note",
    ),
    Row(
        name="jam_on_the_way",
        how=How.NEXT,
        event=(
            'A note that was ordered into the stacker jams where no hand reaches it: event (0,16), "bill jammed '
            'in transport (safe)".'
        ),
        money="It stays where only a technician reaches it; no (n,0) need follow.",
        source="ccTalk part 3, table 7, code 16",
        test="cctalk/test_bill_mishaps.py::test_a_jam_after_the_order_keeps_the_note",
    ),
    Row(
        name="jam_in_stacker",
        how=How.NEXT,
        event=(
            'A note that was ordered into the stacker jams on the way into it: event (0,7), "bill jammed in stacker".'
        ),
        money="It stays between the last sensor and the box until a technician, or a start, moves it.",
        source="ccTalk part 3, table 7, code 7",
        test="cctalk/test_bill_mishaps.py::test_a_jam_after_the_order_keeps_the_note",
    ),
    Row(
        name="stacker_jams",
        how=How.NEXT,
        event='The stacker jams with a note in it that was ordered there: event (0,15), "stacker jammed".',
        money="As in a jam on the way into the stacker.",
        source="ccTalk part 3, table 7, code 15",
        test="cctalk/test_bill_mishaps.py::test_a_jam_after_the_order_keeps_the_note",
    ),
    Row(
        name="jam_after_credit",
        how=How.NEXT,
        event="The note is credited at the last sensor, (n,0), and jams before the plate has stacked it, (0,7).",
        money="Credited, and not yet in the box: it can be taken out by whoever opens the device.",
        source="makers' manuals: notes jam between the last sensor and the plate",
        test="cctalk/test_bill_mishaps.py::test_what_befalls_a_note_after_the_order",
    ),
    Row(
        name="cassette_out_on_the_way",
        how=How.NEXT,
        event="Somebody takes the cassette out while a note is on its way into it: event (0,11); put back, (0,12).",
        money="The note falls beside the cassette into the cabinet and is in nobody's count.",
        source="ccTalk part 3, table 7, codes 11 and 12; makers' manuals",
        test="cctalk/test_bill_mishaps.py::test_the_cassette_is_pulled_out_from_under_a_note_and_put_back",
    ),
    Row(
        name="returned_in_spite",
        how=How.NEXT,
        event="The order to stack is acknowledged, and the note comes back: event (0,1).",
        money="It is the player's.",
        source=(
            "ccTalk part 3, table 7, code 1; no document: a device that does not do what it was told; a host must "
            "bear it"
        ),
        test="cctalk/test_bill_mishaps.py::test_what_befalls_a_note_after_the_order",
    ),
    Row(
        name="stacked_in_spite",
        how=How.NEXT,
        event="The order to return is acknowledged, and the note is stacked: event (n,0).",
        money="It is in the box, and the player has to be credited.",
        source=(
            "ccTalk part 3, table 7, (n,0); no document: a device that does not do what it was told; a host must "
            "bear it"
        ),
        test="cctalk/test_bill_mishaps.py::test_what_befalls_a_note_after_the_order",
    ),
    Row(
        name="pulled_on_the_way",
        how=How.NEXT,
        event="The note is drawn out on a string on its way into the stacker: event (0,8).",
        money="The player has it, and nothing was credited.",
        source="ccTalk part 3, table 7, code 8",
        test="cctalk/test_bill_mishaps.py::test_what_befalls_a_note_after_the_order",
    ),
    Row(
        name="pulled_after_credit",
        how=How.NEXT,
        event="The note is credited, (n,0), and then drawn out on a string: event (0,8).",
        money="Credited, and the player has the note, too.",
        source="ccTalk part 3, table 7, codes 8 and 18",
        test="cctalk/test_bill_mishaps.py::test_what_befalls_a_note_after_the_order",
    ),
    Row(
        name="end_unreported",
        how=How.NEXT,
        event="The note is stacked, and no event of it is ever recorded.",
        money="It is in the box, uncredited; the device takes the next note at once.",
        source=(
            "Paylink manual, page 45: a jam that was cleared leaves no event; no document: a device that does not "
            "do what it was told; a host must bear it"
        ),
        test="cctalk/test_bill_mishaps.py::test_what_befalls_a_note_after_the_order",
    ),
    Row(
        name="return_unreported",
        how=How.NEXT,
        event="The note is returned, and no event of it is ever recorded.",
        money="It is the player's; the host must not credit it.",
        source="no document: a device that does not do what it was told; a host must bear it",
        test="cctalk/test_bill_mishaps.py::test_what_befalls_a_note_after_the_order",
    ),
    Row(
        name="reset_after_end",
        how=How.NEXT,
        event="The device's supply fails for an instant when the note has been stacked, before the event was read.",
        money="It is in the box; counter and events are gone, and all notes are inhibited.",
        source="ccTalk part 2, header 159: counter 0 after a reset",
        test="cctalk/test_bill_mishaps.py::test_a_reset_after_the_end_forgets_it",
    ),
    Row(
        name="buffer_overflow",
        how=How.NEXT,
        event="Five more events follow the note's end before the next poll: the counter has gone up by six.",
        money="It is in the box, and its event was overwritten.",
        source="ccTalk part 2, header 159",
        test="cctalk/test_bill_mishaps.py::test_five_more_events_push_the_notes_end_out_of_the_buffer",
    ),
    Row(
        name="unknown_type_stacked",
        how=How.NEXT,
        event="The note is stacked as one of unknown type: event (0,21).",
        money="It is in the box, and what it is worth is not said.",
        source="ccTalk part 3, table 7, code 21",
        test="cctalk/test_bill_mishaps.py::test_what_befalls_a_note_after_the_order",
    ),
    Row(
        name="start_stacks",
        how=How.NEXT,
        event="At the next start what is inside, jammed or not, is stacked: event (n,0) under a new counter.",
        money="It is in the box.",
        source="makers' manuals: what a start does with a note in the path",
        test="cctalk/test_bill_mishaps.py::test_a_cut_with_a_note_inside",
    ),
    Row(
        name="start_returns",
        how=How.NEXT,
        event="At the next start what is inside, jammed or not, is returned: event (0,1) under a new counter.",
        money="It is the player's.",
        source="makers' manuals: what a start does with a note in the path",
        test="cctalk/test_bill_mishaps.py::test_a_cut_with_a_note_inside",
    ),
    Row(
        name="order_refused",
        how=How.NEXT,
        event='The order to route the note is answered 255, "failed to route".',
        money="It stays in escrow.",
        source="ccTalk part 2, header 154",
        test="cctalk/test_bill_mishaps.py::test_an_order_that_is_not_obeyed",
    ),
    Row(
        name="order_nak",
        how=How.NEXT,
        event="The order to route the note is answered with NAK, as while something moves.",
        money="It stays in escrow.",
        source="ccTalk part 1, NAK message; part 2, header 154",
        test="cctalk/test_bill_mishaps.py::test_an_order_that_is_not_obeyed",
    ),
    Row(
        name="order_ignored",
        how=How.NEXT,
        event="The order to route the note is acknowledged and not obeyed.",
        money="It stays in escrow until its time is over.",
        source="no document: a device that does not do what it was told; a host must bear it",
        test="cctalk/test_bill_mishaps.py::test_an_order_that_is_not_obeyed",
    ),
    Row(
        name="string_seen",
        how=How.NEXT,
        event="A string is seen at a note that is being read: events (0,18), (0,1).",
        money="It comes back.",
        source="ccTalk part 3, table 7, code 18",
        test="cctalk/test_bill_mishaps.py::test_notes_that_are_seen_on_a_string_or_not_recognised_come_back",
    ),
    Row(
        name="unreadable",
        how=How.NEXT,
        event="A note or ticket is not recognised: events (0,2), (0,1).",
        money="It comes back.",
        source="ccTalk part 3, table 7, code 2",
        test="cctalk/test_bill_mishaps.py::test_notes_that_are_seen_on_a_string_or_not_recognised_come_back",
    ),
    Row(
        name="late_reply",
        how=How.NEXT,
        event="A reply comes when the host has given up and asked the next question.",
        money="None; but whoever takes it for the next answer reads another counter, another serial number.",
        source="ccTalk part 1: replies name no question",
        test="cctalk/test_bill_mishaps.py::test_a_late_reply_arrives_after_the_next_question",
    ),
    Row(
        name="acceptor_jam",
        how=How.LASTS,
        event="A jam within reach, (0,6), as long as it lasts; self-check 39.",
        money="What is inside stays; nothing is drawn in.",
        source="ccTalk part 3, table 7, code 6; table 3, 39",
        test="cctalk/test_bill_mishaps.py::test_a_lasting_fault",
    ),
    Row(
        name="safe_jam",
        how=How.LASTS,
        event="A jam that no hand reaches, (0,16), as long as it lasts; self-check 39.",
        money="What is inside stays; nothing is drawn in.",
        source="ccTalk part 3, table 7, code 16; table 3, 39",
        test="cctalk/test_bill_mishaps.py::test_a_lasting_fault",
    ),
    Row(
        name="throat_jam",
        how=How.LASTS,
        event="A jam on the way into the stacker, (0,7), as long as it lasts; self-check 39.",
        money="What is inside stays; nothing is drawn in.",
        source="ccTalk part 3, table 7, code 7; table 3, 39",
        test="cctalk/test_bill_mishaps.py::test_a_lasting_fault",
    ),
    Row(
        name="stacker_jam",
        how=How.LASTS,
        event="A jammed stacker, (0,15), as long as it lasts; self-check 39; over with (0,10).",
        money="What is inside stays; nothing is drawn in.",
        source="ccTalk part 3, table 7, codes 15 and 10; table 3, 39",
        test="cctalk/test_bill_mishaps.py::test_a_lasting_fault",
    ),
    Row(
        name="stacker_full",
        how=How.LASTS,
        event="A full stacker, (0,14); self-check 45; over with (0,10).",
        money="Nothing more is drawn in.",
        source="ccTalk part 3, table 7, codes 14 and 10; table 3, 45",
        test="cctalk/test_bill_mishaps.py::test_a_lasting_fault",
    ),
    Row(
        name="stacker_open",
        how=How.LASTS,
        event="The cassette is out, (0,11); self-check 44; back, (0,12).",
        money="What is inside stays; nothing is drawn in.",
        source="ccTalk part 3, table 7, codes 11 and 12; table 3, 44",
        test="cctalk/test_bill_mishaps.py::test_a_lasting_fault",
    ),
    Row(
        name="cheated",
        how=How.LASTS,
        event="Fraud is seen at the optical sensors: event (0,17).",
        money="Nothing is drawn in.",
        source="ccTalk part 3, table 7, code 17",
        test="cctalk/test_bill_mishaps.py::test_a_lasting_fault",
    ),
    Row(
        name="tampered",
        how=How.LASTS,
        event="The device was tampered with: event (0,9).",
        money="Nothing is drawn in.",
        source="ccTalk part 3, table 7, code 9",
        test="cctalk/test_bill_mishaps.py::test_a_lasting_fault",
    ),
    Row(
        name="transport",
        how=How.LASTS,
        event="The transport has a problem, (0,3); self-check 37.",
        money="What is inside stays; nothing is drawn in.",
        source="ccTalk part 3, table 7, code 3; table 3, 37",
        test="cctalk/test_bill_mishaps.py::test_a_lasting_fault",
    ),
    Row(
        name="string_guard",
        how=How.LASTS,
        event="The guard against strings is faulty, (0,19); self-check 41.",
        money="Nothing is drawn in.",
        source="ccTalk part 3, table 7, code 19; table 3, 41",
        test="cctalk/test_bill_mishaps.py::test_a_lasting_fault",
    ),
    Row(
        name="failure",
        how=How.LASTS,
        event="The stacker is faulty, (0,13); self-check 36.",
        money="What is inside stays; nothing is drawn in.",
        source="ccTalk part 3, table 7, code 13; table 3, 36",
        test="cctalk/test_bill_mishaps.py::test_a_lasting_fault",
    ),
    Row(
        name="pulled_back",
        how=How.HAND,
        event="Somebody pulls the note out of escrow, or one that is jammed within reach: event (0,8).",
        money="The player has it.",
        source="ccTalk part 3, table 7, code 8",
        test="cctalk/test_bill_mishaps.py::test_pulled_out_of_escrow",
    ),
    Row(
        name="brown_out",
        how=How.HAND,
        event="The device's own supply fails for an instant: counter 0, no events, all notes inhibited.",
        money="What is in escrow comes back; events that were not read are gone.",
        source="ccTalk part 2, header 159",
        test="cctalk/test_bill_mishaps.py::test_a_brown_out_is_a_start",
    ),
    Row(
        name="swapped",
        how=How.HAND,
        event="Another device of its make is put in its place: another serial number, counter 0.",
        money="The old one is carried away with what is inside.",
        source="ccTalk part 2, header 242",
        test="cctalk/test_bill_mishaps.py::test_another_device_in_its_place",
    ),
    Row(
        name="jam_to_box",
        how=How.HAND,
        event="Somebody pushes the jammed note on into the box; no event of it follows.",
        money="It is in the box. Only a person knows where the note went; the next note is drawn in as any other.",
        source="Paylink manual, page 45",
        test="cctalk/test_bill_mishaps.py::test_a_jam_cleared_with_the_power_on_is_followed_by_no_event_of_the_note",
    ),
    Row(
        name="jam_to_mouth",
        how=How.HAND,
        event="Somebody pushes the jammed note back out of the mouth; no event of it follows.",
        money="The player has it. Only a person knows where the note went; the next note is drawn in as any other.",
        source="Paylink manual, page 45",
        test="cctalk/test_bill_mishaps.py::test_a_jam_cleared_with_the_power_on_is_followed_by_no_event_of_the_note",
    ),
    Row(
        name="jam_to_hand",
        how=How.HAND,
        event="A technician takes the jammed note out; no event of it follows.",
        money="The technician has it. Only a person knows where the note went; the next note is drawn in as any other.",
        source="Paylink manual, page 45",
        test="cctalk/test_bill_mishaps.py::test_a_jam_cleared_with_the_power_on_is_followed_by_no_event_of_the_note",
    ),
    Row(
        name="event_order",
        how=How.ALWAYS,
        event="Only five events are kept, the newest first; the counter goes from 255 to 1.",
        money="What is older than five is known by the counter alone.",
        source="ccTalk part 2, header 159",
        test="cctalk/test_bill_mishaps.py::test_five_more_events_push_the_notes_end_out_of_the_buffer",
    ),
    Row(
        name="escrow_over_a_cut",
        how=How.ALWAYS,
        event=(
            "A note that a power cut catches in escrow or on its way is returned at the start, or (by its habit) "
            "stacked."
        ),
        money="As the event after the start says.",
        source="makers' manuals",
        test="cctalk/test_bill_mishaps.py::test_a_cut_with_a_note_inside",
    ),
)
