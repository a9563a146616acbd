"""Report the start and end of faults that a bill validator shows while they last."""

from collections.abc import Collection

from drivers.capabilities import BILL_VALIDATOR, Faults


class ValidatorFaults:
    """Reports faults as (code, detail) pairs; the first call also clears those of `codes` that are not present."""

    def __init__(self, listener: Faults, codes: Collection[str]) -> None:
        self._listener = listener
        self._codes = frozenset(codes)
        self._reported: frozenset[tuple[str, str]] | None = None

    def __repr__(self) -> str:
        return f"<ValidatorFaults {sorted(self._reported or ())}>"

    async def are(self, present: frozenset[tuple[str, str]]) -> None:
        """Raise the present faults and clear all others; the first call also clears those of an earlier run."""
        before = self._codes if self._reported is None else {code for code, _ in self._reported}
        for code in sorted(before - {code for code, _ in present}):
            await self._listener.device_fault(BILL_VALIDATOR, code, present=False)
        for code, detail in sorted(present - (self._reported or frozenset())):
            await self._listener.device_fault(BILL_VALIDATOR, code, present=True, detail=detail)
        self._reported = present
