"""The signed software of a cabinet: its verification and its updates (requirements.md S1 to S4)."""
