"""What tests of updates share: the folders of a machine that takes them."""

from pathlib import Path

from controller.features.update.orders import Folders
from controller.features.update.signing import write_public_key
from tests.rigs.program_trees import KEY

BOOT = "this start"


def places(folder: Path) -> Folders:
    """Where updater and supervisor of a machine in `folder` meet."""
    found = Folders(folder / "opt/cabinet", folder / "state", folder / "run", folder / "release.pem")
    for made in (folder / "opt", found.state, found.run, folder / "sticks/BLUE"):
        made.mkdir(parents=True, exist_ok=True)
    write_public_key(found.release, KEY.public_key)
    return found


def nothing() -> tuple[str, ...]:
    """Lack nothing."""
    return ()
