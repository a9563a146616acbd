"""The simulated bill validators, by the language that `cabinet.toml` says the real one speaks."""

from collections.abc import Callable

from drivers.currency import Currency
from drivers.simulated.cctalk import bill_validator
from drivers.simulated.cctalk.bill_validator import SimulatedCctalkBills
from drivers.simulated.ebds.bill_validator import SimulatedEbdsValidator
from drivers.simulated.id003.bill_validator import SimulatedBillValidator
from drivers.simulated.note_path import Paper
from drivers.simulated.ssp.bill_validator import SERIAL, SimulatedSspValidator
from drivers.wiring import BillValidator as Settings

Validator = SimulatedBillValidator | SimulatedSspValidator | SimulatedCctalkBills | SimulatedEbdsValidator


def fitted_validator(
    settings: Settings,
    *,
    currency: Currency,
    returned: Callable[[Paper], None],
    stacked: Callable[[Paper], None],
    changed: Callable[[], None] | None = None,
) -> Validator:
    """Return the device that `cabinet.toml` expects: its language, its address, its serial number, its currency."""
    if settings.protocol == "ssp":
        return SimulatedSspValidator(
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
    if settings.protocol == "cctalk":
        identity = bill_validator.IDENTITY
        return SimulatedCctalkBills(
            returned=returned,
            stacked=stacked,
            changed=changed,
            country=currency.country,
            address=settings.address,
            identity=identity._replace(serial=settings.serial or identity.serial),
        )
    return SimulatedBillValidator(returned=returned, stacked=stacked, changed=changed, currency=currency)
