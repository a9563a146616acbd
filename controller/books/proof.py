"""The result of an audit."""

import msgspec


class Proof(msgspec.Struct, kw_only=True):
    """The result of an audit; `failures` is empty for books that are proved.

    `unlike` counts the failures of rounds whose mathematics this program lacks, which prove nothing against the books.
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
