"""COLLECT: coins from the hopper up to its limit, the rest from the attendant's hand."""

from controller.hardware.driver_tasks import fault_code
from controller.hardware.hopper_books import ended, order_of
from controller.hardware.money_listener import MoneyListener
from controller.journal import demo_mode, payouts
from controller.journal.payouts import OpenPayout
from controller.journal.transaction import Transaction
from controller.machine.machine import Machine
from controller.machine.states import State
from controller.machine.surroundings import Input
from drivers.capabilities import Dispenser, PayoutEnd, PayoutOutcome
from drivers.errors import DriverError
from ui.messages import Payout

_AGAIN_S = 2.0
"""Pause before an interrupted hopper is asked again what became of its payout."""

_FAREWELL_S = 3.0
"""How long the amount paid stays on the screen (standards.md B11)."""


class CashingOut:
    """Pays credit out. `hopper` is None in a cabinet without one."""

    def __init__(self, machine: Machine, listener: MoneyListener, hopper: Dispenser | None) -> None:
        self._machine = machine
        self._listener = listener
        self._hopper = hopper
        self._reported: set[str] = set()

    async def collect(self) -> None:
        """Pay the whole credit: coins up to the hopper's limit, then a hand-pay for what is left. A free one is gone.

        A hopper that a fault stops is not asked; what an earlier payout met with is no such fault.
        """
        machine, hopper = self._machine, self._hopper
        if machine.demo_mode:
            await machine.do(demo_mode.take_back)
            return
        while hopper is not None and self._reported:
            await self._listener.device_fault(hopper.name, self._reported.pop(), present=False)
        if hopper is not None and hopper.ready and machine.pays_coins:
            value = hopper.coin_value_cents
            coins = min(machine.credit_cents, machine.cabinet.limits.hopper_cents) // value
            coins = min(coins, machine.cabinet.hopper.max_coins if machine.cabinet.hopper else 0)
            if coins:
                payout = await machine.do(lambda tx: payouts.begin_payout(tx, "hopper", coins * value, value))
                await self._dispense(payout)
                return
        rest = await machine.do(_begin_hand_pay)
        if rest is not None:
            await self._hand_pay(rest)

    async def resume(self) -> bool:
        """Finish the payout that was interrupted, if the journal has one; return whether it had."""
        payout = await self._machine.do(payouts.open_payout)
        if payout is None:
            return False
        if payout.kind == "hopper":
            await self._dispense(payout)
        else:
            await self._hand_pay(payout)
        return True

    async def _dispense(self, payout: OpenPayout) -> None:
        """Have the hopper pay, and the attendant what is left; an open door or a tilt holds it up (D2).

        Where the hopper stays away, the attendant's key ends the payout: what may have left it is an open item.
        """
        machine = self._machine
        self._show(payout)
        machine.enter(State.COLLECTING)
        while (outcome := await self._attempt(payout)) is None:
            got = await self._attendant()
            if got is not None and got.kind == "key" and got.what == "attendant" and machine.overlay is None:
                announced = payout.event_counter is not None
                outcome = PayoutOutcome(end=PayoutEnd.UNDECIDED if announced else PayoutEnd.STOPPED)
                break
            payout = await machine.do(payouts.required_payout)
        rest = await machine.do(lambda tx: _end_hopper_payout(tx, outcome))
        await machine.reload()
        await machine.clock.sleep(_FAREWELL_S)
        machine.payout = None
        if rest is not None:
            await self._hand_pay(rest)

    async def _attendant(self) -> Input | None:
        """Wait a little for the attendant's key, which now means this payout; a turn of before means something else."""
        self._machine.payout_waits = True
        try:
            return await self._machine.next_input(_AGAIN_S)
        finally:
            self._machine.payout_waits = False

    async def _attempt(self, payout: OpenPayout) -> PayoutOutcome | None:
        """Let the hopper pay or finish the order; None where it could not, or was stopped on the way."""
        machine, hopper, value = self._machine, self._hopper, payout.coin_value_cents or 1
        if hopper is None or not hopper.ready or machine.overlay is not None:
            return None
        self._listener.on_coin_paid = lambda paid: self._count(payout, paid * value)
        try:
            outcome = await machine.unless_obstructed(hopper.pay(order_of(payout), self._listener))
        except DriverError as error:
            # Not every error of a payout ends the driver's own task, which would report it. The order stands.
            self._reported.add(fault_code(error))
            await self._listener.device_fault(hopper.name, fault_code(error), present=True, detail=str(error))
            return None
        finally:
            self._listener.on_coin_paid = None
        while outcome is not None and self._reported:
            await self._listener.device_fault(hopper.name, self._reported.pop(), present=False)
        return outcome

    def _count(self, payout: OpenPayout, paid_cents: int) -> None:
        machine = self._machine
        machine.payout = Payout("hopper", payout.amount_cents, paid_cents)
        machine.refresh()

    async def _hand_pay(self, payout: OpenPayout) -> None:
        machine = self._machine
        self._show(payout)
        machine.enter(State.HANDPAY)
        while True:
            got = await machine.next_input()
            if got is None:
                continue
            if got.kind == "key" and got.what == "attendant" and machine.overlay is None:
                await machine.do(payouts.confirm_hand_pay)
                machine.payout = Payout("attendant", payout.amount_cents, payout.amount_cents)
                machine.win_cents = 0
                await machine.reload()
                await machine.clock.sleep(_FAREWELL_S)
                break
            if got.kind == "press" and got.what == "collect":
                await machine.do(payouts.cancel_hand_pay)
                break
        machine.payout = None

    def _show(self, payout: OpenPayout) -> None:
        by = "hopper" if payout.kind == "hopper" else "attendant"
        self._machine.payout = Payout(by, payout.amount_cents, payout.paid_cents)


def _end_hopper_payout(tx: Transaction, outcome: PayoutOutcome) -> OpenPayout | None:
    """End the hopper's payout and begin the hand-pay of what it left: no power cut comes between the two (P1)."""
    ended(tx, outcome)
    return _begin_hand_pay(tx)


def _begin_hand_pay(tx: Transaction) -> OpenPayout | None:
    return payouts.begin_payout(tx, "hand_pay", tx.credit_cents) if tx.credit_cents else None
