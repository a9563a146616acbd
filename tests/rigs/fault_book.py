"""The faults and identities that drivers report, in tests."""

from collections.abc import Collection
from typing import ClassVar


class FaultBook:
    """Keeps the faults that are present with their details, all that were ever raised, and who was found.

    Only `reporters` may report, where a class names them.
    """

    reporters: ClassVar[Collection[str] | None] = None

    def __init__(self) -> None:
        self.present: dict[tuple[str, str], str] = {}
        self.raised: list[str] = []
        self.details: dict[str, str] = {}
        self.found: list[str] = []

    @property
    def faults(self) -> dict[str, str]:
        """The details of the faults that are present, by code."""
        return {code: detail for (_, code), detail in self.present.items()}

    async def device_fault(self, device: str, code: str, *, present: bool, detail: str = "") -> None:
        """Raise or clear a fault."""
        assert self.reporters is None or device in self.reporters
        if present:
            self.present[device, code] = self.details[code] = detail
            self.raised.append(code)
        else:
            self.present.pop((device, code), None)

    async def device_found(self, device: str, identity: str) -> None:
        """Keep who answered, each time."""
        assert self.reporters is None or device in self.reporters
        self.found.append(identity)
