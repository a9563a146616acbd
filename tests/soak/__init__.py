"""The soak: a whole cabinet that lives for a day of simulated time, and what the process holds meanwhile.

`python -m tests.soak --hours 24` (or `make soak`) has one seeded hand play all games, put money in and take it
out, call the staff, break devices, kill the display and cut the power; docs/testing.md says how it is run.
"""
