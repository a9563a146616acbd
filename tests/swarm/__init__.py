"""One seed is one life of one cabinet: its devices, what its hands do and what befalls it (docs/testing.md)."""
