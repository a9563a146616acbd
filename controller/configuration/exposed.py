"""Check the access rights of a `cabinet.toml` with the hopper's PIN."""

import grp
import stat
from pathlib import Path

from controller.configuration.cabinet_toml import Config

DISPLAY_GROUP = "cabinet-display"
"""The group of the display's user (systemd/conf/sysusers.conf)."""


def exposed_pin(file: Path, config: Config, group: str = DISPLAY_GROUP) -> str:
    """Return a warning with its remedy if others may read the hopper's PIN in `file`, else "".

    `group` is that of the display's user.
    """
    if config.hopper is None or not config.hopper.pin:
        return ""
    status = file.stat()
    if status.st_mode & stat.S_IROTH:
        who = "everybody"
    elif status.st_mode & stat.S_IRGRP and _group(status.st_gid) == group:
        who = "the display's user"
    else:
        return ""
    mend = f"`sudo chown root:cabinet {file} && sudo chmod 640 {file}`"
    return f"{file}: hopper.pin: may be read by {who}; close it with {mend}"


def _group(number: int) -> str:
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return ""
