"""The events of a host."""

from controller.journal.event_catalogue import EventKind


class HostEvent(EventKind):
    """What a host logs."""

    TICKET_DENIED = "ticket", "No ticket of {amount_cents}: {reason}"
    HOST_TRANSFER_IN = "host_transfer", "Transferred in by the host: {amount_cents} ({transaction})"
    HOST_TRANSFER_OUT = "host_transfer", "Transferred out to the host: {amount_cents} ({transaction})"
    HOST_THERE = "host_link", "The host at {place} polls this machine"
    HOST_GONE = "host_link", "The host at {place} is gone: {reason}"
    HOST_UNANSWERED = "host_link", "Poll {command} of the host at {place} was not answered: {reason}"
    HOST_ACT = "host_act", "By the host: {what}"
    HOST_GAME_OFF = "host_act", "{game} was switched off by the host"
    HOST_GAME_ON = "host_act", "{game} was switched on by the host"
