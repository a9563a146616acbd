"""Power cuts at any step of a program: before a transaction is durable, and then before its result is seen."""

from collections.abc import Callable
from typing import TypeVar

from controller.journal.errors import JournalStorageError
from controller.journal.store import Store
from controller.journal.transaction import Transaction

T = TypeVar("T")


class PowerCutError(JournalStorageError):
    """The power is off: nothing more is written."""


class Power:
    """Counts the steps, and is off from the one at which it is cut; None for never."""

    def __init__(self) -> None:
        self.steps = 0
        self.cut_at: int | None = None
        self.is_off = False

    def step(self) -> None:
        """Count a step; raise `cut` where the power is off."""
        self.steps += 1
        if self.cut_at is not None and self.steps >= self.cut_at:
            self.is_off = True
        if self.is_off:
            raise self.cut()

    def cut(self) -> JournalStorageError:
        """Return what a transaction ends with then."""
        return PowerCutError("the power is off")

    def comes_back(self, cut_at: int | None = None) -> None:
        """Switch it on, to be cut again after so many steps."""
        self.steps, self.cut_at, self.is_off = 0, cut_at, False


class CutStore(Store):
    """A store whose transactions are steps of `power`: each may be cut before its commit or after it."""

    power: Power

    def transact(self, act: Callable[[Transaction], T], *, durable: bool = True) -> T:
        """Run `act` in one transaction, unless the power is cut."""
        self.power.step()
        result = super().transact(act, durable=durable)
        self.power.step()
        return result
