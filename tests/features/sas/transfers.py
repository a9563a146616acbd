"""The bench of `test_clearing`, which others use too."""

from controller.features.sas.transfers import Transfer


def transfer(name: str, kind: int) -> Transfer:
    """A whole transfer of 5.00."""
    return Transfer(
        position=0,
        transaction_id=name,
        kind=kind,
        status=0,
        cents=500,
        asked_cents=500,
        flags=0,
        expiration="08182026",
        pool="0030",
        total_cents=0,
        at_ms=0,
    )
