"""The games' rules, compiled by numba: the same draws and the same tallies as production, 30 to 50 times faster.

A kernel (`games/<game>/kernel.py`) is fed with tables that are taken from the production objects and draws from
Python's own Mersenne Twister, so that its tally and the generator's final state equal those of
`gamekit.simulate.play_rounds` exactly; `cabinet simulate --check` and the proofs hold it to that. numba is an extra of
its own (`pip install 'cabinet[kernels]'`), never on a cabinet.
"""
