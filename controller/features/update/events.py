"""The events of the proof and the update of the program."""

from controller.journal.event_catalogue import EventKind


class UpdateEvent(EventKind):
    """What the proof and the update of the program log."""

    SOFTWARE_KNOWN = "software_known", "Software from now on: {kind} {version}"
    SOFTWARE_CHANGED = "software_known", "Software from now on: {kind} {version}, in place of {before}"
    SOFTWARE_WHOLE_AGAIN = "software_proved", "The software is as it was signed again; files: {files}"
    SOFTWARE_VERIFIED = "software_proved", "Software verified for the {who}; files: {files}, differences: {differences}"
    KEY_ACCEPTED = (
        "software_trusted",
        "Key of the software ({kind}): {key} in place of {before}, accepted by the {who}",
    )
    KEY_KNOWN = "software_trusted", "Key of the software ({kind}): {key}, the first that these books know"
    UPDATE_ASKED = "update", "{new} in place of {old}, asked for by the {who}, from {stick}"
    UPDATE_DONE = "update", "{new} plays in place of {old}"
    UPDATE_UNDONE = "update", "{new} was not well and is undone, {old} plays: {reason}"
    UPDATE_REFUSED = "update", "{new} was refused, {old} plays on: {reason}"
    UPDATE_KEPT = "update", "{new} plays in place of {old} though it was not well: {reason}"
    UPDATE_LOST = "update", "What was asked for was not done: the power was off, or nobody took it"
    ROLL_BACK_ASKED = "roll_back", "{new} in place of {old}, asked for by the {who}"
    ROLL_BACK_DONE = "roll_back", "{new} plays in place of {old}"
    ROLL_BACK_UNDONE = "roll_back", "{new} was not well and is undone, {old} plays: {reason}"
    ROLL_BACK_REFUSED = "roll_back", "{new} was refused, {old} plays on: {reason}"
    ROLL_BACK_KEPT = "roll_back", "{new} plays in place of {old} though it was not well: {reason}"
    ROLL_BACK_LOST = "roll_back", "What was asked for was not done: the power was off, or nobody took it"
