"""Words for codes: states, alarms, severities, tickets and events in the reader's language."""

from collections.abc import Mapping
from functools import cache

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from gamekit import catalogue
from venue.page.cabinet_words import translated
from venue.page.kinds import ACTS, KINDS, named
from venue.page.statuses import LONGEST, cut

Words = str | Promise

STATES: Mapping[str, Words] = {
    "booting": _("Starting"),
    "recovering": _("Recovering"),
    "attract": _("Waiting for a player"),
    "lobby": _("Choosing a game"),
    "idle": _("Between rounds"),
    "round": _("In a round"),
    "offer": _("In a round"),
    "gamble_offer": _("In a round"),
    "gamble": _("Gambling"),
    "autospin": _("Choosing autospin"),
    "collecting": _("Paying out"),
    "handpay": _("Hand-pay"),
    "tilted": _("Tilted"),
    "large_win": _("Large win"),
    "out_of_service": _("Out of service"),
    "locked": _("Locked"),
    "service_menu": _("Service menu"),
    "replay": _("Showing a past round"),
    "history": _("Showing past rounds"),
    "open": _("Open"),
    "closed": _("Closed"),
    "proposed": _("Proposed"),
    "approved": _("Approved"),
    "rejected": _("Rejected"),
    "waiting": _("Waiting"),
    "offered": _("Offered"),
    "taken": _("Taken"),
    "installed": _("Installed"),
    "failed": _("Failed"),
    "refused": _("Refused"),
    "stopped": _("Stopped"),
    "done": _("Done"),
    "draft": _("Draft"),
    "running": _("Running"),
    "withdrawn": _("Withdrawn"),
    "differs": _("Differs"),
    "asked": _("Asks for a trial"),
    "on_trial": _("On trial"),
    "behind": _("An older copy of the books"),
    "beside": _("Another copy of the books"),
}

ALARMS: Mapping[str, Words] = {
    "link_lost": _("Link lost"),
    "calls_refused": _("Calls refused"),
    "chain_refused": _("Ledger rows do not follow"),
    "pool_base": _("A pool does not balance"),
    "pool_hits": _("A hit is missing"),
    "pool_award": _("An award below its seed"),
    "pool_below_seed": _("A pool below its seed"),
    "meter_fell": _("A meter went back"),
    "recovering": _("Pools are recovering"),
    "late_claim": _("A claim came too late"),
    "books_differ": _("Books differ"),
    "locked": _("Locked"),
    "software_differs": _("Software differs"),
    "door_out_of_hours": _("Door open out of hours"),
    "fault": _("Fault"),
    "cash_box": _("Cash box out"),
    "hopper_low": _("Hopper low"),
    "clock_off": _("Clock is wrong"),
    "temperature": _("Too warm"),
    "disk_free": _("Little room on the disk"),
    "card_wear": _("Card is worn"),
    "partition_rest": _("Rows outside of all months"),
    "backup_old": _("The backup is old"),
    "audit_failed": _("The audit failed"),
    "audit_old": _("The audit is old"),
    "count_difference": _("Counted cash differs"),
    "jackpot": _("Jackpot"),
    "witness_behind": _("An older copy of the books"),
    "witness_beside": _("Another copy of the books"),
    "rebased": _("Restored books accepted"),
    "fresh_epoch": _("New epoch"),
    "other_identity": _("Another identity"),
    "alarm_flood": _("Too many alarms"),
    "offer_failed": _("An update failed"),
    "reading_dated": _("A reading with an impossible date"),
    "login_changed": _("A cabinet has changed its login"),
    "session_held": _("A cabinet has kept the server waiting"),
    "login_closed": _("A cabinet's login was closed"),
    "distrusted": _("A cabinet that is not trusted was retired"),
    "logic_access": _("Logic door opened without power"),
    "ticket_twice": _("A redeemed ticket was tried again"),
    "ticket_expired": _("An expired ticket was tried"),
    "ticket_unknown": _("Unknown ticket numbers"),
    "ticket_held": _("A ticket is held too long"),
    "ticket_clash": _("One number on two tickets"),
    "ticket_paid_twice": _("A ticket was paid twice"),
}

TICKETS: Mapping[str, Words] = {
    "open": _("Open"),
    "held": _("Held"),
    "redeemed": _("Redeemed"),
    "void": _("Void"),
    "expired": _("Expired"),
    "unknown": _("Unknown"),
    "wait": _("Not looked up"),
}
"""Words for the states of a ticket."""
TICKET_ACTS: Mapping[str, Words] = {
    "void": _("Void it"),
    "reopen": _("Open it again"),
    "extend": _("Pay it although it has expired"),
    "enter": _("Enter it"),
}
"""Words for the actions on a ticket that need two people."""

FIGURES: Mapping[str, Words] = {
    "amount_cents": _("Amount"),
    "ticket": _("Ticket"),
    "amount": _("Amount"),
    "answer": _("Answer"),
    "award": _("Award"),
    "by": _("By"),
    "cab_at": _("Cabinet's clock"),
    "card_wear_percent": _("Wear in percent"),
    "code": _("Kind"),
    "collection": _("Collection"),
    "commit_ms": _("Commit, ms"),
    "day": _("Day"),
    "detail": _("What"),
    "difference_cents": _("Difference"),
    "disk_free_mb": _("Free, MB"),
    "doors": _("Open doors"),
    "failures": _("Not proved"),
    "held": _("Tickets of others that it held"),
    "hit": _("Hit"),
    "last_seen": _("Seen"),
    "newest": _("Newest"),
    "off_ms": _("Clock off, s"),
    "offer": _("Offer"),
    "place": _("Place"),
    "pool": _("Pool"),
    "proved_at_ms": _("Books proved"),
    "reason": _("Reason"),
    "round": _("Round"),
    "row": _("Row"),
    "seed": _("Seed"),
    "seen": _("Newest row seen"),
    "since": _("Since"),
    "since_ms": _("Since"),
    "state": _("State"),
    "stops_play": _("Stops play"),
    "temperature_c": _("Temperature, °C"),
    "times": _("Times"),
    "unsent": _("Not handed over, as it said"),
    "version": _("Version"),
    "void": _("Tickets that nobody else knows, to be voided"),
    "waits_for": _("Waits for cabinets"),
    "whole": _("Whole"),
}
"""Names of the figures in alarms and events."""

LATE: Mapping[str, Words] = {
    "this venue has no such pool": _("This venue has no such pool"),
    "answered otherwise by this venue": _("This venue has answered it otherwise"),
    "this hit was voided, as nobody had it": _("This hit was voided, as nobody had it"),
    "this hit was entered by hand with other figures": _("This hit was entered by hand with other figures"),
    "another claim has this hit": _("Another claim has this hit"),
    "the pool was not recovering": _("The pool was not recovering"),
}
"""Words for the reasons why a returned claim belongs to no pool, by the reason stored in the database."""

MOVED = "the database server was promoted or set back"
"""The reason stored in the database for a recovery that the venue began by itself (`venue.notice_move`)."""

SEVERITIES: Mapping[str, Words] = {"info": _("Info"), "warning": _("Warning"), "critical": _("Critical")}
VERDICTS: Mapping[str, tuple[str, Words]] = {
    "outside": ("stop", _("Outside")),
    "edge": ("look", _("At the edge")),
    "inside": ("good", _("Inside")),
    "few": ("away", _("Too few rounds")),
    "unknown": ("away", _("No expectation")),
}
"""Tone and words for the verdict on a hold."""
TONES: Mapping[str, str] = {"info": "good", "warning": "look", "critical": "stop"}


@cache
def _titles() -> Mapping[str, str]:
    return {name: catalogue.load(name).title for name in catalogue.names()}


def game(name: object) -> str:
    """Return a game's title, or the name itself if this program lacks the game."""
    return _titles().get(str(name), str(name)) if name else ""


def state(code: object) -> Words:
    """Return the words for the state of a machine, a pool or an offer."""
    return STATES.get(str(code), str(code).replace("_", " ").capitalize() if code else "")


def alarm(code: object) -> Words:
    """Return the words for an alarm's code."""
    return ALARMS.get(str(code), str(code).replace("_", " ").capitalize())


def ticket_state(code: object) -> Words:
    """Return the words for a ticket's state."""
    return TICKETS.get(str(code), str(code))


def ticket_act(code: object) -> Words:
    """Return the words for an action on a ticket that needs two people."""
    return TICKET_ACTS.get(str(code), str(code))


def severity(code: object) -> Words:
    """Return the words for a severity."""
    return SEVERITIES.get(str(code), str(code))


def event(code: object) -> Words:
    """Return the words for an event's code; a code without words of its own is made readable."""
    return KINDS.get(str(code)) or translated(named(cut(str(code), LONGEST)))


def place(name: object) -> str:
    """Return the name of a door, a device or another part of a cabinet in the reader's language."""
    return translated(str(name).replace("_", " "))


def late_reason(what: object) -> Words:
    """Return the reason why a claim was late, in the reader's language."""
    return LATE.get(str(what), str(what))


def recovery_reason(what: object) -> Words:
    """Return the reason of a recovery: the venue's own in the reader's language, a person's as typed."""
    return _("The database server was promoted or set back") if what == MOVED else str(what)


def act(what: object) -> Words:
    """Return the words for an action in the audit log."""
    return ACTS.get(str(what), str(what))


def figure(name: str) -> Words:
    """Return the words for the name of a figure in an event or an alarm."""
    return FIGURES.get(name, name.replace("_", " ").capitalize())
