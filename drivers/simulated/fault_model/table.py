"""The fault model: the possible faults of each simulated device, by the `kind` of the device.

Each folder of `drivers/simulated` has the rows of its devices in its `fault_model.py`.

Look up a device's rows here and trigger one by its name: a row of `How.NEXT` with `device.mishaps.next(name)` or, at
random, `device.mishaps.rate(name, probability)`; any row that can be triggered with `device.troubles()[name](1)`; `(0)`
ends a lasting one.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Final

from drivers.simulated.fault_model import lines
from drivers.simulated.fault_model.rows import Row


def _of_folders() -> Iterator[Mapping[str, tuple[Row, ...]]]:
    """Yield the rows of each folder's devices, in the order of the alphabet."""
    folders = sorted(path.parent.name for path in Path(__file__).parents[1].glob("*/fault_model.py"))
    for folder in folders:
        yield import_module(f"drivers.simulated.{folder}.fault_model").FAULT_MODEL


FAULT_MODEL: Final[Mapping[str, tuple[Row, ...]]] = {
    **{kind: rows for found in _of_folders() for kind, rows in found.items()},
    "coin chutes": lines.CHUTES,
    "serial line": lines.LINE,
}
"""The rows of each kind of device. The faults of a serial line apply to every device on one."""
