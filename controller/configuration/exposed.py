"""Check the access rights of a `cabinet.toml` with a secret: the hopper's PIN, a key of eSSP or ccTalk."""

import grp
import stat
from pathlib import Path

from controller.configuration.cabinet_toml import Config
from controller.configuration.fields import SECRET, quoted

DISPLAY_GROUP = "cabinet-display"
"""The group of the display's user (systemd/conf/sysusers.conf)."""


def exposed_pin(file: Path, config: Config, group: str = DISPLAY_GROUP) -> str:
    """Return a warning with its remedy if others may read a secret in `file`, else "".

    `group` is that of the display's user.
    """
    tables = {"hopper": config.hopper, "bill_validator": config.bill_validator}
    held = [key for key in sorted(SECRET) if getattr(tables[key.partition(".")[0]], key.partition(".")[2], "")]
    if not held:
        return ""
    status = file.stat()
    if status.st_mode & stat.S_IROTH:
        who = "everybody"
    elif status.st_mode & stat.S_IRGRP and _group(status.st_gid) == group:
        who = "the display's user"
    else:
        return ""
    mend = f"`sudo chown root:cabinet {file} && sudo chmod 640 {file}`"
    return f"{file}: {quoted(held)}: may be read by {who}; close it with {mend}"


def _group(number: int) -> str:
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return ""
