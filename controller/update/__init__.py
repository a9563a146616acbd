"""The signed software of a cabinet: its verification and its updates (standards.md S1 to S4)."""
