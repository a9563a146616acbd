"""A PostgreSQL whose every sync to the disk takes longer: a shim in C before fsync and fdatasync, loaded by LD_PRELOAD.

The wait comes before the real call, in the process that makes it, as on a slow card; writes are not slowed down.
"""

import shutil
import subprocess

from tests.rigs.needing import skip
from tests.rigs.postgres import PostgresServer

DURABLE = {
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    "wal_sync_method": "fdatasync",
    "max_wal_size": "4GB",
}
"""Each commit waits for the disk, as by default; a run is short enough to have no checkpoint."""

_SHIM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
static int slowly(const char *name, int fd) {
    int (*real)(int) = (int (*)(int)) dlsym(RTLD_NEXT, name);
    struct timespec wait = {0, WAIT_NS};
    nanosleep(&wait, 0);
    return real(fd);
}
int fsync(int fd) { return slowly("fsync", fd); }
int fdatasync(int fd) { return slowly("fdatasync", fd); }
"""


def slowed(server: PostgresServer, sync_ms: float) -> None:
    """Restart a server as a durable one whose syncs take `sync_ms` longer; skip the test without a C compiler."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        skip("the slow disk is a shim in C", "apt-get install gcc libc6-dev")
    # In the server's own folder, which its user can read.
    source, shim = server.folder / "slow.c", server.folder / "slow.so"
    source.write_text(_SHIM, encoding="ascii")
    wait_ns = f"-DWAIT_NS={round(sync_ms * 1_000_000)}"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", wait_ns, source, "-o", shim, "-ldl"], check=True)
    shim.chmod(0o755)
    server.stop()
    server.settings.update(DURABLE)
    server.environment["LD_PRELOAD"] = str(shim)
    server.start()
