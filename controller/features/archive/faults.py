"""The faults of archives."""

from collections.abc import Mapping
from typing import Final

from controller.faults import Fault

FAULTS: Final[Mapping[str, Fault]] = {
    "archive_failed": Fault(text="The books could not be archived on the {place}"),
}
