"""What an audit found."""

import msgspec


class Proof(msgspec.Struct, kw_only=True):
    """What an audit found; `failures` is empty for books that are proved.

    `unlike` of the failures are of rounds whose mathematics this program lacks, which proves nothing against the books.
    `behind` has a line for each archive that the journal follows.
    """

    ledger_rows: int = 0
    rounds: int = 0
    replayed: int = 0
    credit_cents: int = 0
    simulated: bool = False
    meters: dict[str, int] = {}
    open_items: list[str] = []
    failures: list[str] = []
    unlike: int = 0
    behind: list[str] = []
