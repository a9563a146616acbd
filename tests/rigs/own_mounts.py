"""A command in mounts of its own, seen by nobody else."""

import os
import shutil
import subprocess

from tests.rigs.needing import skip


def own_mounts() -> tuple[str, str]:
    """Return the command that runs another one so that it may mount what it likes; skip the test where none may."""
    unshare, kind = shutil.which("unshare"), "-m" if os.geteuid() == 0 else "-rm"
    if unshare is None or subprocess.run([unshare, kind, "true"], check=False, capture_output=True).returncode:
        skip(f"`unshare {kind}` is not allowed here", "run it as root, or where users may make name spaces")
    return unshare, kind
