"""The events of a venue."""

from controller.journal.event_catalogue import EventKind


class VenueEvent(EventKind):
    """What a venue logs."""

    JACKPOT_HELD = (
        "open_item",
        "The venue has paid {award_cents} (hit {hit}) for round {round}, which these books may have had paid before",
    )
    JACKPOT_OF_VOID = "open_item", "The venue has paid {award_cents} (hit {hit}) for round {round}, which is void"
    VENUE_JOINED = (
        "venue",
        "Joined the venue as cabinet {cabinet}, epoch {epoch}; own jackpots closed with a growth of {closed_cents}",
    )
    VENUE_LEFT = "venue", "Left the venue (cabinet {cabinet}, epoch {epoch}): own jackpots begin at their seeds"
    VENUE_EPOCH = "venue", "The venue has begun epoch {epoch} for this cabinet, after {before}"
    VENUE_ENROLLED = "venue", "Enrolled at the venue as cabinet {cabinet} by the {who}"
    VENUE_FENCED = "venue_trouble", "The venue refuses this cabinet ({cabinet}): another one speaks in its name"
    VENUE_BEHIND = "venue_trouble", "The venue has seen newer books of this cabinet ({cabinet})"
    VENUE_BESIDE = "venue_trouble", "The venue has seen other books of this cabinet ({cabinet})"
    VENUE_ACCEPTED = "venue_trouble", "Accepted by the {who}: these books and this cabinet are to go on"
    VENUE_REFUSED = "venue_trouble", "Trouble with the venue: {reason}"
    VENUE_LOST = "venue_link", "The link to the venue is lost: {reason}"
    VENUE_BACK = "venue_link", "The link to the venue is back"
    VENUE_REBASED = "venue", "The venue goes on with the accepted books"
    UPDATE_OFFERED = "update", "{new} in place of {old}, offered by the venue ({offer})"
    OFFER_REFUSED = "venue", "Offer {offer} of the venue refused: {reason}"
    SETTINGS_PROPOSED = "venue", "The venue proposes settings ({offer}): {template}"
    SETTINGS_WITHDRAWN = "venue", "The venue no longer proposes settings ({offer}): {template}"
    SETTINGS_TAKEN = "venue", "Settings that the venue proposes ({offer}), taken by the {who}: {template}"
    JACKPOT_ASKED = "jackpot", "Jackpot of {game} won in round {round}; the venue is asked for the amount"
    JACKPOT_ANSWERED = "jackpot", "The venue pays {amount_cents} for the jackpot of round {round} (hit {hit})"
