"""When each acceptor of coins or pulses was last read and inhibited, in memory that outlives the program.

The folder of the running cabinet lies in memory: it is there after a crash, and gone after a power cut, as are the
clock's seconds that these times are in. What a power cut must not take is in the books (`controller.journal.money`).
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from drivers.capabilities import CoinWindow

SIZE: Final = 256
"""Each file is written over in place, whole, and never grows."""


class _Kept(msgspec.Struct, frozen=True):
    boot: str
    window: CoinWindow


class CoinWindows:
    """One file for each acceptor in `folder`; `boot` names this start of the computer, empty for unknown."""

    def __init__(self, folder: Path, boot: str) -> None:
        self._folder = folder
        self._boot = boot

    def __repr__(self) -> str:
        return f"<CoinWindows in {self._folder}>"

    def keep(self, acceptor: str, window: CoinWindow) -> None:
        """Keep the times of that acceptor; raise `OSError`."""
        kept = msgspec.json.encode(_Kept(self._boot, window)).ljust(SIZE)
        self._folder.mkdir(parents=True, exist_ok=True)
        file = os.open(self._file(acceptor), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.pwrite(file, kept, 0)
        finally:
            os.close(file)

    def shut(self, acceptor: str, at: float) -> None:
        """Keep that the acceptor takes nothing from then on, unless it took nothing before; raise `OSError`."""
        window = self.of(acceptor)
        if window is not None and window.shut_at is None:
            self.keep(acceptor, msgspec.structs.replace(window, shut_at=at))

    def of(self, acceptor: str) -> CoinWindow | None:
        """Return the times of that acceptor, None where none were kept since the computer was started."""
        with suppress(OSError, msgspec.DecodeError):
            kept = msgspec.json.decode(self._file(acceptor).read_bytes(), type=_Kept)
            if self._boot and kept.boot == self._boot:
                return kept.window
        return None

    def _file(self, acceptor: str) -> Path:
        return self._folder / f"{acceptor}.window"
