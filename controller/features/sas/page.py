"""Page H.7, host ports: whether a host polls, what it switched off, its pending exceptions and last transfer."""

from collections.abc import Sequence
from dataclasses import replace

from controller.configuration.tickets import tickets_of
from controller.faults import place_in_words
from controller.features.sas import queue as host_queue
from controller.features.sas import tickets as host_tickets
from controller.features.sas import transfers as host_transfers
from controller.features.sas.configuration import host_ports
from controller.features.sas.events import HostEvent
from controller.features.sas.state import HostState, host_state
from controller.journal.event_log import events_of
from controller.journal.search import NEWEST
from controller.journal.transaction import Transaction
from controller.service.page import Line, Page
from controller.service.serviced_machine import ServicedMachine
from gamekit.catalogue import load
from ui.protocol.values import moment

NO_HOST_PORT = "No host port is configured"
THERE, GONE = "polls this machine", "gone"
ON, OFF = "on", "off"
NOTE = "Note of {value_cents}"


def _lines(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    config = machine.settings.file_config
    ports = host_ports(config)
    if not ports:
        return (Line(NO_HOST_PORT),)
    lines = _switches(host_state(tx), machine.settings.fitted.limits.notes_cents)
    for port in ports:
        lines += _port(tx, port)
        if tickets_of(config).validated_by == port:
            lines += _tickets(tx, port)
    return lines


def _switches(state: HostState, notes: Sequence[int]) -> list[Line]:
    """Return what hosts have switched off; `notes` are the notes that the cabinet accepts, in cents."""
    lines = [
        _switch(Line("Machine"), is_off=state.machine_off),
        _switch(Line("Notes"), is_off=state.notes_off),
        _switch(Line("Sound"), is_off=state.sound_off),
    ]
    if state.bills is not None and not state.notes_off:
        lines += [Line(NOTE, OFF, tone="bad", figures={"value_cents": it}) for it in notes if it not in state.bills]
    if state.maintenance:
        lines.append(Line("Maintenance by the host", tone="bad"))
    return lines + [Line(load(game).title, OFF, tone="bad") for game in state.games_off]


def _switch(line: Line, *, is_off: bool) -> Line:
    """Return the line with the value "on" or "off"."""
    return replace(line, value=OFF if is_off else ON, tone="bad" if is_off else "good")


def _port(tx: Transaction, port: str) -> list[Line]:
    """Return the heading and lines of one port."""
    links = [each for each in events_of(tx, (HostEvent.HOST_THERE.code,), NEWEST, 20) if each.place == port]
    is_there = bool(links) and links[0].text == HostEvent.HOST_THERE.key
    transfer = host_transfers.newest(tx, port)
    lines = [
        Line(place_in_words(port), tone="heading"),
        Line("Host", THERE if is_there else GONE, tone="good" if is_there else "bad"),
        Line("Exceptions that wait for the host", count=len(host_queue.waiting(tx, port))),
    ]
    if transfer is not None:
        lines.append(Line("Last transfer", moment(transfer.at_ms), cents=transfer.cents))
    return lines


def _tickets(tx: Transaction, port: str) -> list[Line]:
    """Return the tickets that the host has not read or settled, which can block the next ticket."""
    unread = sum(not each.read for each in host_tickets.records(tx, port))
    newest = host_tickets.redemption(tx, port)
    full = unread >= host_tickets.POSITIONS
    lines = [Line("Printed tickets that the host has not read", count=unread, tone="bad" if full else "plain")]
    if newest is not None and not newest.closed:
        lines.append(
            Line("A ticket that the host has not settled", moment(newest.at_ms), cents=newest.cents, tone="bad")
        )
    return lines


PAGES = (Page("H.7", "Host ports", _lines),)
