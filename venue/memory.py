"""Bounds for the memory of a venue's PostgreSQL, by a drop-in of its systemd unit.

PostgreSQL has none: whoever has a login sets `work_mem` as high as a session may. So the kernel keeps them: what one
process may allocate ends that session's statement, and what all of them have together ends the largest process, after
which PostgreSQL starts its others again by itself. The rest of the machine keeps its own memory.
"""

import subprocess
from pathlib import Path

UNIT = Path("lib/systemd/system/postgresql@.service")
"""The unit of Debian's clusters."""
DROP_IN = Path("etc/systemd/system/postgresql@.service.d/cabinet-venue.conf")
_RUNNING = Path("run/systemd/system")
PROCESS_MB = 512
"""What a session, or a worker of it, may allocate."""
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
    """Write the drop-in where this machine has Debian's unit; return whether it is new, and takes a restart."""
    path = root / DROP_IN
    if not (root / UNIT).exists() or (path.exists() and path.read_text(encoding="utf-8") == _TEXT):
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_TEXT, encoding="utf-8")
    if (root / _RUNNING).is_dir():
        subprocess.run(["/usr/bin/systemctl", "daemon-reload"], check=False)
    return True
