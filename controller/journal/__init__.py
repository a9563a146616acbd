"""The books: one SQLite file with one writer and a hash-chained ledger.

`store` opens and proves the file and runs transactions. `ledger` appends rows and raises meters. Every other module has
the queries and changes of its tables, as functions of a `Transaction`.
"""
