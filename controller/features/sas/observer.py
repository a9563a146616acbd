"""Follows the journal for the host ports: figures, what hosts switched off, and each port's queue of exceptions.

`Observer` is called within each transaction, so an exception is as durable as the change that it reports.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from controller.features.sas import queue as host_queue
from controller.features.sas import reported, state
from controller.features.sas import tickets as host_tickets
from controller.features.sas import transfers as host_transfers
from controller.features.sas.configuration import HostPort
from controller.features.sas.figures import Figures, advanced, read_figures
from controller.features.sas.queue import Waiting
from controller.features.sas.state import HostState, Refused, Registration, TicketTerms
from controller.features.sas.tickets import Record, Redemption
from controller.features.sas.transfers import Transfer
from controller.journal import money, payouts, tickets
from controller.journal.event_catalogue import Event, event_of
from controller.journal.key_value import SETTINGS
from controller.journal.payouts import OpenPayout
from controller.journal.reads import cabinet_row
from controller.journal.transaction import Transaction
from controller.session.session import load_session
from drivers.sas.exceptions import Code
from drivers.sas.tickets import Status


class Observed(NamedTuple):
    """The journal's state for hosts after its newest durable transaction; mappings are by port."""

    figures: Figures = Figures()
    state: HostState = HostState()
    game: str = ""
    queues: Mapping[str, tuple[Waiting, ...]] = {}
    transfers: Mapping[str, Transfer | None] = {}
    registrations: Mapping[str, Registration | None] = {}
    cabinet_id: str = ""
    records: Mapping[str, tuple[Record, ...]] = {}
    redemptions: Mapping[str, Redemption | None] = {}
    ticket_terms: TicketTerms = TicketTerms()
    coming_cents: int = 0
    refused: Mapping[str, Refused | None] = {}
    hand_pay: OpenPayout | None = None


class Observer:
    """The host ports' observer of the journal; `now` is the state after the newest durable transaction.

    `on_change` is called on the event loop after each transaction that changed this state.
    """

    def __init__(self, ports: Mapping[str, HostPort], *, country: int, validator: str = "") -> None:
        self.now = Observed()
        self._validators = frozenset({validator}) & ports.keys()
        self.in_real_time: set[str] = set()
        """The ports whose hosts want exceptions in real time."""
        self.on_change: Callable[[], None] = lambda: None
        self._ports = ports
        self._country = country
        self._newest: Observed | None = None
        self._session: str | None = None

    def __call__(self, tx: Transaction) -> Callable[[], None] | None:
        """Queue the transaction's exceptions; return the callback that publishes the new state, None if unchanged."""
        before = self._newest
        if before is None:
            self._begin(tx)
        figures = read_figures(tx) if before is None else advanced(before.figures, tx)
        game = self._game(tx, "" if before is None else before.game)
        for port in self._ports:
            self._follow_tickets(tx, port)
        self._report(tx, before or Observed(figures=figures), figures, game)
        after = Observed(
            figures,
            state.host_state(tx),
            game,
            {port: tuple(host_queue.waiting(tx, port)) for port in self._ports},
            {port: host_transfers.newest(tx, port) for port in self._ports},
            {port: state.registration(tx, port) for port in self._ports},
            cabinet_row(tx).cabinet_id if before is None else before.cabinet_id,
            {port: host_tickets.records(tx, port) for port in self._ports},
            {port: host_tickets.redemption(tx, port) for port in self._ports},
            state.ticket_terms(tx) if self._validators else TicketTerms(),
            money.coming_cents(tx),
            {port: state.refused(tx, port) for port in self._ports},
            payouts.open_hand_pay(tx),
        )
        if after == before:
            return None
        self._newest = after
        return lambda: self._take(after)

    def _begin(self, tx: Transaction) -> None:
        """Drop exceptions of ports that are not configured, and report a meter reset if the books began anew."""
        host_queue.forget(tx, frozenset(self._ports))
        if state.take_for_known(tx):
            for port in self._ports:
                host_queue.queue(tx, port, Code.METERS_RESET, overflow=Code.OVERFLOW)

    def _follow_tickets(self, tx: Transaction, port: str) -> None:
        """Record printed tickets for their host and settle its newest redeemed ticket; queue exceptions for both.

        A ticket that was in escrow when the program ended is given up at the start. A host that does not validate is
        still told the result of its last ticket.
        """
        for entry in tx.entries if port in self._validators else ():
            if entry.kind == "event" and _is_printed(str(entry.data["code"]), str(entry.data["text"])):
                host_tickets.record(tx, port, tickets.with_id(tx, int(entry.data["ticket"])))
                host_queue.queue(tx, port, Code.TICKET_PRINTED, overflow=Code.OVERFLOW)
        ended = host_tickets.settle(tx, port, redeemed=Status.REDEEMED, returned=Status.VALIDATOR)
        if self._newest is None:
            ended |= host_tickets.give_up(tx, port, Status.VALIDATOR)
        if ended:
            host_queue.queue(tx, port, Code.TICKET_IN_DONE, priority=True, overflow=Code.OVERFLOW)

    def _take(self, after: Observed) -> None:
        self.now = after
        self.on_change()

    def _report(self, tx: Transaction, before: Observed, figures: Figures, game: str) -> None:
        for port, settings in self._ports.items():
            denomination_cents = settings.denomination_cents
            due = list(
                reported.reported(
                    tx, before.figures, figures, country=self._country, denomination_cents=denomination_cents
                )
            )
            if self._newest is not None and game != before.game:
                due.append(reported.selected(game))
            if port in self.in_real_time:
                due = [each for each in due if reported.is_reported_in_real_time(each.code)]
            for each in due:
                host_queue.queue(tx, port, each.code, each.data, priority=each.has_priority, overflow=Code.OVERFLOW)

    def _game(self, tx: Transaction, before: str) -> str:
        """Return the game that the player has chosen; the session is parsed only when its record has changed."""
        session = SETTINGS.get(tx, "session")
        if session == self._session and self._newest is not None:
            return before
        self._session = session
        return load_session(tx).game


def _is_printed(code: str, text: str) -> bool:
    return code == Event.TICKET_PRINTED.code and event_of(code, text) is Event.TICKET_PRINTED
