"""COLLECT: coins from the hopper up to its limit, a ticket, and the rest by hand from the attendant."""

import math
from collections.abc import Callable

import msgspec

from controller.configuration.cabinet_toml import most_hopper_coins
from controller.hardware import hopper_books
from controller.hardware.driver_tasks import fault_code
from controller.hardware.hopper_books import PayoutDevice, order_of
from controller.hardware.money_listener import MoneyListener
from controller.journal import demo_mode, held_payouts, payouts, tickets
from controller.journal.payouts import OpenPayout
from controller.journal.transaction import Transaction
from controller.machine.ports import Input
from controller.machine.states import State
from controller.machine.tickets import SlipPrinter, Tickets
from controller.machine.view import MachineParts
from controller.session.betting import residue_cents
from controller.session.credit_words import RESIDUE
from drivers.capabilities import Dispenser, PayoutEnd, PayoutOutcome, PrintEnd, TicketPrinter
from drivers.clock import Clock
from drivers.errors import DriverError
from ui.protocol.values import Payout

_AGAIN_S = 1.0
"""The pause before an interrupted hopper is queried again about its payout."""

_LOOKED_FOR_S = 3.0
"""How long a hopper may be silent before the screen says so; after a start its driver needs a moment to find it."""

_PRINTER_WAIT_S = 10.0
"""How long a ticket waits for a printer that is not ready: after a start its driver needs a moment to find it."""

_FAREWELL_S = 3.0
"""How long the amount paid stays on the screen (requirements.md B11)."""

_BY = {"hopper": "hopper", "ticket": "printer", "hand_pay": "attendant"}

_STOPPED = PayoutOutcome(end=PayoutEnd.STOPPED)
_UNCOUNTED = PayoutOutcome(end=PayoutEnd.UNDECIDED, recount=True)
_ALL_BOOKED = PayoutOutcome(end=PayoutEnd.DONE, recount=True)
"""Counts of a hopper of another coin prove nothing about the payout: its serial number may be that of many."""


class CashingOut:
    """Pays out the credit; `hopper` and `printer` are None in a cabinet without one."""

    def __init__(
        self,
        machine: MachineParts,
        clock: Clock,
        listener: MoneyListener,
        hopper: Dispenser | None,
        *,
        tickets: Tickets,
        printer: TicketPrinter | None,
    ) -> None:
        self._machine = machine
        self._clock = clock
        self._listener = listener
        self._hopper = hopper
        self._tickets = tickets
        self._printer = None if printer is None else SlipPrinter(printer)
        self._reported: set[str] = set()

    async def collect(self) -> str:
        """Pay the credit: coins up to the hopper's limit, then a ticket or a hand-pay for the rest.

        Free credit is removed. If tickets pay everything, no coins are paid. A hopper that a fault stops is not used,
        but errors of an earlier payout are no such fault. Return the code of a message for the player, or an empty
        string.
        """
        machine, hopper = self._machine, self._hopper
        await self._faults_over()
        if machine.conditions.overlay is not None:
            return ""  # it came between the press and here
        if machine.conditions.demo_mode:
            await machine.journal.do(demo_mode.take_back)
            return ""
        value = most = 0
        if hopper is not None and hopper.ready and machine.states.pays_coins:
            value = hopper.coin_value_cents
            # A technician's change of the most coins takes effect in the driver at the next start.
            most = min(most_hopper_coins(machine.settings.config), hopper.most_coins)
        payout, left_cents = await machine.journal.do(lambda tx: (self._begin(tx, value, most), tx.credit_cents))
        if payout is None:
            return RESIDUE if left_cents else ""
        await self._pay(payout)
        return ""

    def _begin(self, tx: Transaction, coin_value_cents: int, most_coins: int) -> OpenPayout | None:
        """Begin the payout of the present credit, which a host may just have changed.

        Return None if nothing is to be paid; `most_coins` is 0 if the hopper cannot pay now.
        """
        credit = tx.credit_cents
        coins = min(credit // coin_value_cents, most_coins) if coin_value_cents else 0
        if coins and not self._pays_by_ticket(credit, whole=True):
            payout = payouts.begin_payout(tx, "hopper", coins * coin_value_cents, coin_value_cents)
            if (device := self._device()) is not None:
                hopper_books.begun(tx, device)
            return payout
        return self._begin_rest(tx, whole=True)

    async def resume(self) -> bool:
        """Finish an interrupted payout, if the journal has one; return whether it had."""
        payout = await self._machine.journal.do(payouts.open_payout)
        if payout is None:
            return False
        await self._pay(payout)
        return True

    async def _pay(self, payout: OpenPayout) -> None:
        """Pay by the hopper, by ticket, or by hand."""
        if payout.kind == "hopper":
            await self._dispense(payout)
        else:
            await self._pay_rest(payout)

    async def _pay_rest(self, payout: OpenPayout) -> None:
        """Pay the amount that is not paid in coins: by ticket or by hand."""
        if payout.kind == "ticket":
            await self._pay_by_ticket(payout)
        else:
            await self._hand_pay(payout)

    async def _pay_by_ticket(self, payout: OpenPayout) -> None:
        """Print the payout's ticket; one that the printer does not report as printed is void and paid by hand.

        After a power cut nobody knows how much of a ticket was printed, so it is not printed again: it is void too.
        """
        machine = self._machine
        machine.play.payout = _progress(payout)
        machine.states.enter(State.COLLECTING)
        begun = await machine.journal.do(tickets.open_ticket)
        reason = "printer_cut" if begun is not None else await self._print_and_book(payout.amount_cents)
        if reason:
            hand_pay = await machine.journal.do(lambda tx: tickets.not_printed(tx, reason))
            await self._hand_pay(hand_pay)
            return
        machine.play.payout = _progress(msgspec.structs.replace(payout, paid_cents=payout.amount_cents))
        machine.play.win_cents = 0
        await machine.journal.reload()
        await self._clock.sleep(_FAREWELL_S)
        machine.play.payout = None

    async def _print_and_book(self, cents: int) -> str:
        """Print and book the ticket of the payout in progress; return why it failed, or an empty string."""
        machine, printer, desk = self._machine, self._printer, self._tickets.desk
        if printer is None or desk is None or not await self._wait_for_printer(printer):
            return "printer_not_ready"
        ticket = await desk.begin(cents)
        if isinstance(ticket, str):
            return ticket
        end = await printer.print(ticket.map(desk.slip))
        if end is not PrintEnd.PRINTED:
            return "printer_unknown" if end is PrintEnd.UNKNOWN else "printer_unsent"
        await machine.journal.do(tickets.printed)
        return ""

    async def _wait_for_printer(self, printer: SlipPrinter) -> bool:
        """Wait for the printer, `_PRINTER_WAIT_S` at most; return whether it is ready."""
        until = self._clock.now() + _PRINTER_WAIT_S
        while not printer.ready and self._clock.now() < until:
            await self._clock.sleep(_AGAIN_S)
        return printer.ready

    def _pays_by_ticket(self, cents: int, *, whole: bool) -> bool:
        """Whether the amount is paid by ticket now."""
        desk = self._tickets.desk
        return self._printer is not None and self._printer.ready and desk is not None and desk.pays(cents, whole=whole)

    async def _dispense(self, payout: OpenPayout) -> None:
        """Pay by the hopper, then begin the payout of the rest; an open door or a tilt delays it (D2).

        While the hopper does not answer, a turn of the attendant's key requests the end: as soon as the hopper answers,
        it is stopped, and its counters show what had left it. After `payout.hopper_away_s` a further turn gives the
        hopper up; if another hopper answers in its place, it is given up at once. What may have left it is held.
        """
        machine = self._machine
        away_since: float | None = None
        ending = False
        machine.play.payout = _progress(payout)
        machine.states.enter(State.COLLECTING)
        while (outcome := await self._attempt(payout, ending=ending)) is None:
            before, payout = payout, await machine.journal.do(payouts.required_payout)
            if self._is_anothers(payout):
                break
            if (
                machine.conditions.overlay is not None and not machine.conditions.service.asks_who
            ):  # typing a PIN does not stop the count
                away_since = None
            elif away_since is None or payout != before:  # it has paid or announced something since
                away_since = self._clock.now()
            self._show_waiting(payout, away_since, ending=ending)
            if not await self._key_turned():
                continue
            if payout.event_counter is None:
                outcome = _STOPPED  # no coin was requested from it
                break
            ending = True
            if self._left_s(away_since) == 0:
                outcome = await self._attempt(payout, ending=True)
                if outcome is not None or machine.conditions.overlay is None:
                    break
        reason = hopper_books.CHANGED if await self._is_changed(payout) else ""
        ended, rest = await machine.journal.do(lambda tx: self._end(tx, outcome, reason))
        machine.play.payout = _progress(ended)
        await self._faults_over()
        await machine.journal.reload()
        await self._clock.sleep(_FAREWELL_S)
        machine.play.payout = None
        if rest is not None:
            await self._pay_rest(rest)

    def _device(self) -> PayoutDevice | None:
        """Return the hopper that answers now, or None."""
        hopper, wired = self._hopper, self._machine.settings.config.hopper
        if hopper is None or wired is None or not hopper.ready:
            return None
        return PayoutDevice(wired.protocol, hopper.serial, hopper.coin_value_cents)

    async def _is_changed(self, payout: OpenPayout) -> bool:
        """Whether no hopper is configured any more, or another one answers than the payout was begun with.

        Another hopper has another protocol or serial number or pays in another step. It would pay coins that nobody
        ordered.
        """
        if self._hopper is None:
            return True
        device = self._device()
        if device is None:
            return False
        begun = await self._machine.journal.do(hopper_books.begun_with)
        return device.step_cents != payout.coin_value_cents or (begun is not None and begun != device)

    def _is_anothers(self, payout: OpenPayout) -> bool:
        """Whether the hopper that answers has another number than the one that the order was announced to."""
        device = self._device()
        return device is not None and payout.event_counter is not None and device.serial != payout.serial

    def _left_s(self, away_since: float | None) -> int:
        """Return the number of seconds until the attendant's key may give the hopper up."""
        patience_s = self._machine.settings.config.payout.hopper_away_s
        away_s = 0.0 if away_since is None else self._clock.now() - away_since
        return max(0, math.ceil(patience_s - away_s))

    async def _key_turned(self) -> bool:
        """Wait a little for the attendant's key, which now refers to this payout; an earlier turn does not."""
        machine = self._machine
        machine.play.payout_waits = True
        try:
            got = await machine.states.next_input(_AGAIN_S)
        finally:
            machine.play.payout_waits = False
        return got is not None and (got.kind, got.what) == ("key", "attendant") and machine.conditions.overlay is None

    async def _attempt(self, payout: OpenPayout, *, ending: bool) -> PayoutOutcome | None:
        """Let the hopper finish the order, or with `ending` stop and count; return None if it could not."""
        machine, hopper, value = self._machine, self._hopper, payout.coin_value_cents or 1
        if machine.conditions.overlay is not None:
            return None
        changed = await self._is_changed(payout)
        if changed and payout.event_counter is None:
            return _STOPPED  # nothing of it was ordered: the rest is paid by hand
        if hopper is None or not hopper.ready:
            return None
        if changed and hopper.serial == payout.serial:
            return _UNCOUNTED if payout.paid_cents < payout.amount_cents else _ALL_BOOKED
        work = hopper.settle if ending or changed else hopper.pay
        self._listener.on_coin_paid = lambda paid: self._count(payout, paid * value, ending=ending)
        try:
            outcome = await machine.states.unless_obstructed(work(order_of(payout), self._listener))
        except DriverError as error:
            # Not every error of a payout ends the driver's own task, which would report it. The order stays open.
            self._reported.add(fault_code(error))
            await self._listener.device_fault(hopper.name, fault_code(error), present=True, detail=str(error))
            return None
        finally:
            self._listener.on_coin_paid = None
        if outcome is not None:
            await self._faults_over()
        return outcome

    async def _faults_over(self) -> None:
        """Report that the errors of a payout are over, because the payout is."""
        while self._hopper is not None and self._reported:
            await self._listener.device_fault(self._hopper.name, self._reported.pop(), present=False)

    def _count(self, payout: OpenPayout, paid_cents: int, *, ending: bool) -> None:
        machine = self._machine
        machine.play.payout = Payout("hopper", payout.amount_cents, paid_cents, hopper="counted" if ending else "")
        machine.states.refresh()

    def _show_waiting(self, payout: OpenPayout, away_since: float | None, *, ending: bool) -> None:
        """Show that the hopper does not answer, and what the attendant's key can do about it.

        Just after a start it is only being searched for.
        """
        machine = self._machine
        if away_since is None or (not ending and self._clock.now() - away_since < _LOOKED_FOR_S):
            machine.play.payout = _progress(payout)
            machine.states.refresh()
            return
        doubt_cents = payout.amount_cents - payout.paid_cents if payout.event_counter is not None else 0
        machine.play.payout = Payout(
            "hopper",
            payout.amount_cents,
            payout.paid_cents,
            held_cents=doubt_cents,
            hopper="counted" if ending else "away",
            key_in_s=self._left_s(away_since) if doubt_cents else 0,
            hand_cents=machine.journal.credit_cents - doubt_cents,
        )
        machine.states.refresh()

    async def _hand_pay(self, payout: OpenPayout) -> None:
        """Wait until the attendant confirms the hand-pay, the player cancels it, or a host has ended it."""
        machine = self._machine
        machine.play.payout = _progress(payout)
        machine.states.enter(State.HANDPAY)
        state, waiting = "open", payout
        while state == "open":
            got = await machine.states.next_input()
            if got is None:
                continue
            act = self._hand_pay_act(got)
            state, now = await machine.journal.do(lambda tx: payouts.hand_pay_after(tx, payout.id, act))  # noqa: B023
            waiting = now or waiting
            machine.play.payout = _progress(waiting)
            machine.states.refresh()
        if state == "done":
            machine.play.payout = _progress(msgspec.structs.replace(waiting, paid_cents=waiting.amount_cents))
            machine.play.win_cents = 0
            await machine.journal.reload()
            await self._clock.sleep(_FAREWELL_S)
        machine.play.payout = None

    def _hand_pay_act(self, got: Input) -> Callable[[Transaction], None] | None:
        """Return the action of an input on the waiting hand-pay, or None."""
        if (got.kind, got.what) == ("key", "attendant") and self._machine.conditions.overlay is None:
            return payouts.confirm_hand_pay
        return payouts.cancel_hand_pay if (got.kind, got.what) == ("press", "collect") else None

    def _end(self, tx: Transaction, outcome: PayoutOutcome | None, reason: str) -> tuple[OpenPayout, OpenPayout | None]:
        """End the hopper's payout and begin that of the rest, without a power cut in between (P1).

        Both happen in one transaction. Without an outcome the hopper is given up; a `reason` replaces the outcome's
        own. Return the ended payout and the new one, or None.
        """
        before, payout = held_payouts.held_cents(tx), payouts.required_payout(tx)
        if outcome is None:
            hopper_books.given_up(tx)
        else:
            hopper_books.ended(tx, outcome, reason)
        ended = msgspec.structs.replace(payout, held_cents=held_payouts.held_cents(tx) - before)
        return ended, self._begin_rest(tx, whole=False, follows=payout.id)

    def _begin_rest(self, tx: Transaction, *, whole: bool, follows: int | None = None) -> OpenPayout | None:
        """Begin the ticket or hand-pay for the credit; return None if there is no credit or it stays as a residue.

        `whole` means that no coins were paid.
        """
        credit = tx.credit_cents
        if self._pays_by_ticket(credit, whole=whole) or self._pays_by_ticket(credit, whole=False):
            return payouts.begin_payout(tx, "ticket", credit, follows=follows)
        if not credit or (self._hopper is not None and residue_cents(self._machine.settings.config, credit)):
            return None
        return payouts.begin_payout(tx, "hand_pay", credit, follows=follows)


def _progress(payout: OpenPayout) -> Payout:
    """Return the progress of a payout as the screen shows it."""
    return Payout(
        _BY[payout.kind],
        payout.amount_cents,
        payout.paid_cents,
        coins_cents=payout.coins_cents,
        held_cents=payout.held_cents,
    )
