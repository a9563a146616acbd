"""The logic door: the journal records and meters openings that its latch remembers; unseen ones are faults (P10).

The journal alone decides which opening the latch remembers: an opening that the door's switch reported is already
logged; any other happened while the power was off or bypassed the switch.
"""

from controller.journal.doors import has_opened_since_reset, was_open_at_power_off
from controller.journal.event_catalogue import Event
from controller.journal.event_words import in_english
from controller.journal.faults import raise_fault
from controller.journal.transaction import Transaction
from controller.machine.conditions import Conditions
from controller.machine.journal_port import JournalPort
from drivers.capabilities import Faults
from drivers.clock import Clock

DOOR = "logic"
LOGIC_OPENED = "logic_opened"

_PATIENCE_S = 1.0
_LOOK_S = 0.05


class LogicDoor:
    """Listener of the latch's driver; device faults go to `faults`."""

    def __init__(self, journal: JournalPort, conditions: Conditions, clock: Clock, faults: Faults) -> None:
        self._journal = journal
        self._conditions = conditions
        self._clock = clock
        self._faults = faults

    def is_open(self) -> bool:
        """Whether the door is open or its state is unknown."""
        return self._conditions.doors.get(DOOR, True)

    async def logic_opened(self, *, at_start: bool) -> None:
        """Record an opening that the latch remembers, unless the journal already has it.

        It first waits up to a second for the door's switch, which is debounced like the latch and recorded separately.
        """
        waited = 0.0
        while waited < _PATIENCE_S and (DOOR not in self._conditions.doors if at_start else not await self._is_known()):
            await self._clock.sleep(_LOOK_S)
            waited += _LOOK_S
        if at_start:
            known = await self._journal.do(lambda tx: was_open_at_power_off(tx, DOOR))
            event = Event.OPENED_UNPOWERED
        else:
            known = await self._is_known()
            event = Event.OPENED_UNSEEN
        if known:
            return
        # the switch of an open door meters this opening itself
        meters = {} if self._conditions.doors.get(DOOR) else {f"door_{DOOR}": 1}

        def record(tx: Transaction) -> None:
            tx.event(event, place=DOOR, meters=meters)
            raise_fault(tx, LOGIC_OPENED, DOOR, in_english(event, {}, DOOR))

        await self._journal.do(record)
        await self._journal.reload()

    async def latch_reset(self) -> None:
        """Record that the latch was reset, which covers all openings journaled before."""
        await self._journal.do(lambda tx: tx.event(Event.LATCH_RESET, place=DOOR))

    async def device_fault(self, device: str, code: str, *, present: bool, detail: str = "") -> None:
        """Pass on the latch's own faults."""
        await self._faults.device_fault(device, code, present=present, detail=detail)

    async def _is_known(self) -> bool:
        return await self._journal.do(lambda tx: has_opened_since_reset(tx, DOOR))
