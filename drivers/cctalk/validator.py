"""ccTalk as a protocol of bill validators."""

from typing import Final

from drivers.validator_protocols import ValidatorProtocol

VALIDATOR: Final = ValidatorProtocol(session="bill_session:CctalkBillSession", shared_line="cctalk")
