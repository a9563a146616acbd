"""When each acceptor of coins or pulses was last read and inhibited, in memory that outlives the program.

The cabinet's run directory is in memory: its files survive a crash and are lost in a power cut, like the monotonic
clock of these times. Data that a power cut must not erase are in the books (`controller.journal.money`).
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from controller.files.own_files import like, refuse_foreign
from drivers.capabilities import CoinWindow

SIZE: Final = 256
"""The size of each file in bytes; a file is overwritten in place as a whole and never grows."""
_KIND: Final = like("times of an acceptor", rb"\{\"boot\":")


class _Kept(msgspec.Struct, frozen=True):
    boot: str
    window: CoinWindow


class CoinWindows:
    """One file for each acceptor in `folder`; `boot` is the id of this start of the computer, empty if unknown."""

    def __init__(self, folder: Path, boot: str) -> None:
        self._folder = folder
        self._boot = boot

    def __repr__(self) -> str:
        return f"<CoinWindows in {self._folder}>"

    def keep(self, acceptor: str, window: CoinWindow) -> None:
        """Store the times of the acceptor; raise `OSError`, and `NotOursError` if its file is another one."""
        kept = msgspec.json.encode(_Kept(self._boot, window)).ljust(SIZE)
        self._folder.mkdir(parents=True, exist_ok=True)
        refuse_foreign(self._file(acceptor), _KIND, unfinished=True)
        file = os.open(self._file(acceptor), os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            os.pwrite(file, kept, 0)
        finally:
            os.close(file)

    def shut(self, acceptor: str, at: float) -> None:
        """Store that the acceptor takes nothing from `at` on, unless it was already inhibited; raise `OSError`."""
        window = self.of(acceptor)
        if window is not None and window.shut_at is None:
            self.keep(acceptor, msgspec.structs.replace(window, shut_at=at))

    def of(self, acceptor: str) -> CoinWindow | None:
        """Return the times of the acceptor, or None if none were stored since the computer was started."""
        with suppress(OSError, msgspec.DecodeError):
            kept = msgspec.json.decode(self._file(acceptor).read_bytes(), type=_Kept)
            if self._boot and kept.boot == self._boot:
                return kept.window
        return None

    def _file(self, acceptor: str) -> Path:
        return self._folder / f"{acceptor}.window"
