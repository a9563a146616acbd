"""The reader of staff cards, a device of the cabinet."""

from controller.features.cards.configuration import card_settings
from controller.fitting import Cabinet
from drivers.capabilities import Driver


def fit_reader(cabinet: Cabinet) -> None:
    """Add the configured reader to the cabinet's devices; it has no tasks of its own."""
    reader = _reader(cabinet)
    if reader is not None:
        cabinet.hardware.added.append(reader)


def _reader(cabinet: Cabinet) -> Driver | None:
    """Return the reader's driver, or None if there is none."""
    settings, wires = card_settings(cabinet.hardware.config), cabinet.wires
    match settings.reader:
        case "wedge":
            from drivers.cards.wedge import Wedge  # noqa: PLC0415 - only where one is configured

            return Wedge(wires.card_port(settings.device), cabinet.clock, cabinet.menu)
        case "pcsc":
            from drivers.cards.contactless import ContactlessReader  # noqa: PLC0415 - as above

            return ContactlessReader(wires.card_terminal(), settings.device, cabinet.clock, cabinet.menu)
    return None
