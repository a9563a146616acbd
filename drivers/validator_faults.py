"""The faults that a bill validator shows while they last, reported when they begin and when they end."""

from collections.abc import Collection

from drivers.capabilities import BILL_VALIDATOR, Faults


class ValidatorFaults:
    """Reports faults as pairs of their code and their detail; at first clears those of `codes` that are not present."""

    def __init__(self, listener: Faults, codes: Collection[str]) -> None:
        self._listener = listener
        self._codes = frozenset(codes)
        self._reported: frozenset[tuple[str, str]] | None = None

    def __repr__(self) -> str:
        return f"<ValidatorFaults {sorted(self._reported or ())}>"

    async def are(self, present: frozenset[tuple[str, str]]) -> None:
        """Raise what is present now and clear what was before, an earlier run's faults as well."""
        before = self._codes if self._reported is None else {code for code, _ in self._reported}
        for code in sorted(before - {code for code, _ in present}):
            await self._listener.device_fault(BILL_VALIDATOR, code, present=False)
        for code, detail in sorted(present - (self._reported or frozenset())):
            await self._listener.device_fault(BILL_VALIDATOR, code, present=True, detail=detail)
        self._reported = present
