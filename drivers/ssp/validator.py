"""SSP as a protocol of bill validators."""

from typing import Final

from drivers.validator_protocols import ValidatorProtocol

VALIDATOR: Final = ValidatorProtocol(session="session:SspSession", stop_bits=2)
