"""When coin acceptors were read and inhibited, as books for tests keep it until the computer is started anew."""

from msgspec.structs import replace

from drivers.capabilities import CoinMemory, CoinWindow
from tests.rigs.fault_book import FaultBook


class WindowBook(FaultBook):
    """The part of a `CoinListener` that outlives the program and not the computer's power."""

    def __init__(self) -> None:
        super().__init__()
        self.windows: dict[int, CoinWindow] = {}

    def coins_unread(self, serial: int, window: CoinWindow) -> None:
        """Keep it."""
        self.windows[serial] = window

    def coins_shut(self, serial: int, at: float) -> None:
        """Keep that it takes nothing."""
        if serial in self.windows and self.windows[serial].shut_at is None:
            self.windows[serial] = replace(self.windows[serial], shut_at=at)

    def with_window(self, serial: int, memory: CoinMemory | None) -> CoinMemory | None:
        """Add it to what the books remember, unless the power was lost."""
        if memory is None or memory.power_lost:
            return memory
        return replace(memory, window=self.windows.get(serial))
