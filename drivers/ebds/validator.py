"""EBDS as a protocol of bill validators."""

from typing import Final

from drivers.validator_protocols import ValidatorProtocol

VALIDATOR: Final = ValidatorProtocol(
    session="session:EbdsSession", has_parity=True, no_serial="the serial numbers of EBDS validators have letters"
)
