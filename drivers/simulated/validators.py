"""The simulated bill validators, by the language that `cabinet.toml` says the real one speaks."""

from collections.abc import Mapping
from typing import Final

from drivers.simulated.bill_validator import SimulatedBillValidator
from drivers.simulated.cctalk_bills import SimulatedCctalkBills
from drivers.simulated.ssp_validator import SimulatedSspValidator
from drivers.wiring import BillProtocol

Validator = SimulatedBillValidator | SimulatedSspValidator | SimulatedCctalkBills

VALIDATORS: Final[Mapping[BillProtocol, type[Validator]]] = {
    "id003": SimulatedBillValidator,
    "ssp": SimulatedSspValidator,
    "cctalk": SimulatedCctalkBills,
}
