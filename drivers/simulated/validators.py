"""Build the simulated bill validator for the protocol that `cabinet.toml` names."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, cast

from drivers.currency import Currency
from drivers.simulated.line import LineDevice
from drivers.simulated.note_path import Paper, PaperPath
from drivers.simulated.ssp.bill_validator import SERIAL, encryption_of
from drivers.simulated.ssp.recycler import SimulatedRecycler
from drivers.wiring import BillValidator as Settings
from drivers.wiring import Hopper

if TYPE_CHECKING:

    class Validator(PaperPath, LineDevice):
        """What every simulated validator is."""

        slot: str
        escrow_cents: int


def _ignore(_value_cents: int) -> None:
    """Ignore the notification: the default callback."""


def fitted_validator(
    settings: Settings,
    *,
    currency: Currency,
    returned: Callable[[Paper], None],
    stacked: Callable[[Paper], None],
    changed: Callable[[], None] | None = None,
    recycler: Hopper | None = None,
    stored: Mapping[int, int] | None = None,
    note_out: Callable[[int], None] = _ignore,
) -> "Validator":
    """Return the device that `cabinet.toml` expects: its protocol, address, serial number and currency.

    A `recycler` begins with the notes `stored`; `note_out(cents)` is called for each note it pays.
    """
    if recycler is not None:
        device: object = SimulatedRecycler(
            returned=returned,
            stacked=stacked,
            note_out=note_out,
            stored=stored,
            changed=changed,
            serial=settings.serial or SERIAL,
            currency=currency.code,
            value_cents=recycler.coin_value_cents,
            encryption=encryption_of(settings.ssp_key),
        )
    else:
        made = import_module(f"drivers.simulated.{settings.protocol}.bill_validator")
        device = made.fitted(settings, currency, returned=returned, stacked=stacked, changed=changed)
    return cast("Validator", device)
