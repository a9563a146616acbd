"""ID-003 as a protocol of bill validators."""

from typing import Final

from drivers.validator_protocols import ValidatorProtocol

VALIDATOR: Final = ValidatorProtocol(
    session="session:Id003Session", line_parity=True, has_parity=True, no_serial="ID-003 validators report none"
)
