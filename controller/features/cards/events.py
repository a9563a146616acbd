"""The events of staff cards."""

from controller.journal.event_catalogue import EventKind


class CardEvent(EventKind):
    """What staff cards log."""

    CARD_ENROLLED = "card_enrolled", "Card {card} of {name} enrolled"
    CARD_REMOVED = "card_removed", "Card {card} of {name} removed"
    CARD_BLOCKED = "card_blocked", "Card {card} of {name} blocked"
    CARD_UNBLOCKED = "card_unblocked", "Card {card} of {name} no longer blocked"
    CARD_LOST = "card_removed", "Card {card} of {name} fits no more, its key is lost: enrol it again (C.7)"
    CARD_TAKEN = "card_taken", "Card {card} of {name} taken"
    CARD_REFUSED = "card_refused", "Card {card} of {name} refused: {reason}"
    CARD_UNKNOWN = "card_refused", "Unknown card refused"
    CARDS_BARRED = "card_barred", "No card is taken for {minutes} minutes: too many wrong ones"
