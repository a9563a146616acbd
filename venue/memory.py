"""Memory limits for a venue's PostgreSQL, set by a drop-in for its systemd unit.

PostgreSQL itself has no limit: any login may raise `work_mem` for its session. So the kernel enforces two limits. When
a process exceeds its own limit, its statement fails. When all processes together exceed the total, the kernel ends the
largest one, and PostgreSQL restarts the others by itself. The rest of the machine keeps its memory.
"""

import subprocess
from pathlib import Path

UNIT = Path("lib/systemd/system/postgresql@.service")
"""The systemd unit of Debian's PostgreSQL clusters."""
DROP_IN = Path("etc/systemd/system/postgresql@.service.d/cabinet-venue.conf")
_RUNNING = Path("run/systemd/system")
PROCESS_MB = 512
"""MiB that a session's process, or one of its parallel workers, may allocate."""
_TEXT = f"""\
# Made by `cabinet venue init`. What one process of PostgreSQL may allocate: a statement that wants more fails.
[Service]
LimitDATA={PROCESS_MB}M
# What all have together: beyond it the kernel ends the largest, and PostgreSQL starts the others again in seconds.
MemoryMax=60%
MemorySwapMax=0
OOMPolicy=continue
"""


def bound_memory(root: Path = Path("/")) -> bool:
    """Write the drop-in if this machine has Debian's unit; return True if it changed and PostgreSQL must restart."""
    path = root / DROP_IN
    if not (root / UNIT).exists() or (path.exists() and path.read_text(encoding="utf-8") == _TEXT):
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_TEXT, encoding="utf-8")
    if (root / _RUNNING).is_dir():
        subprocess.run(["/usr/bin/systemctl", "daemon-reload"], check=False)
    return True
