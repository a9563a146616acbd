"""MDB as a protocol of bill validators."""

from typing import Final

from drivers.validator_protocols import ValidatorProtocol

VALIDATOR: Final = ValidatorProtocol(session="bill_session:MdbBillSession", shared_line="mdb", reads_tickets=False)
