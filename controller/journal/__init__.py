"""The books: one SQLite file, one writer, every cent in a hash-chained ledger.

`store` opens and proves the file and runs transactions; `ledger` appends rows and raises meters; the other
modules are the transactions themselves, one function for each thing that can happen.
"""
