"""Build the simulated bill validator for the protocol that `cabinet.toml` names."""

from collections.abc import Callable, Mapping

import msgspec

from drivers.currency import Currency
from drivers.simulated.cctalk import bill_validator
from drivers.simulated.cctalk.bill_validator import SimulatedCctalkBills
from drivers.simulated.cctalk.encryption import FrameKey
from drivers.simulated.ebds.bill_validator import SimulatedEbdsValidator
from drivers.simulated.id003.bill_validator import SimulatedBillValidator
from drivers.simulated.mdb.bill_validator import IDENTITY, SimulatedMdbBills
from drivers.simulated.note_path import Paper
from drivers.simulated.ssp.bill_validator import SERIAL, SimulatedSspValidator, SspHabits
from drivers.simulated.ssp.encryption import FIXED_KEY, Encryption
from drivers.simulated.ssp.recycler import SimulatedRecycler
from drivers.wiring import BillValidator as Settings
from drivers.wiring import Hopper, at_first

Validator = (
    SimulatedBillValidator
    | SimulatedRecycler
    | SimulatedSspValidator
    | SimulatedCctalkBills
    | SimulatedEbdsValidator
    | SimulatedMdbBills
)


def _ignore(_value_cents: int) -> None:
    """Ignore the notification: the default callback."""


def _encryption(key: str) -> Encryption:
    return Encryption(int(key, 16) if key else FIXED_KEY)


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
) -> Validator:
    """Return the device that `cabinet.toml` expects: its protocol, address, serial number and currency.

    A `recycler` begins with the notes `stored`; `note_out(cents)` is called for each note it pays.
    """
    if recycler is not None:
        return SimulatedRecycler(
            returned=returned,
            stacked=stacked,
            note_out=note_out,
            stored=stored,
            changed=changed,
            serial=settings.serial or SERIAL,
            currency=currency.code,
            value_cents=recycler.coin_value_cents,
            encryption=_encryption(settings.ssp_key),
        )
    if settings.protocol == "ssp":
        knows = settings.encryption != "off"
        return SimulatedSspValidator(
            habits=SspHabits(encrypts=knows, acknowledges=knows),
            encryption=_encryption(settings.ssp_key) if knows else None,
            returned=returned,
            stacked=stacked,
            changed=changed,
            serial=settings.serial or SERIAL,
            currency=currency.code,
        )
    if settings.protocol == "ebds":
        return SimulatedEbdsValidator(
            returned=returned,
            stacked=stacked,
            changed=changed,
            currency=currency.code,
            even=settings.parity == "even",
        )
    if settings.protocol == "mdb":
        return SimulatedMdbBills(
            returned=returned,
            stacked=stacked,
            changed=changed,
            currency=currency.code,
            identity=msgspec.structs.replace(IDENTITY, serial=settings.serial or IDENTITY.serial),
        )
    if settings.protocol == "cctalk":
        identity = bill_validator.IDENTITY
        device = SimulatedCctalkBills(
            returned=returned,
            stacked=stacked,
            changed=changed,
            country=currency.country,
            address=at_first(settings.address, 40),
            identity=identity._replace(serial=settings.serial or identity.serial),
        )
        device.key = FrameKey(settings.cctalk_key) if settings.cctalk_key else None
        return device
    return SimulatedBillValidator(returned=returned, stacked=stacked, changed=changed, currency=currency)
