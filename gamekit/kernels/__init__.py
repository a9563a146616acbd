"""The games' rules, compiled by numba: the same draws and the same tallies as production, 30 to 50 times faster.

A kernel (`games/<game>/kernel.py`) reads tables made from the production objects and draws from Python's own Mersenne
Twister, so that its tally and the generator's final state equal those of `gamekit.simulate.play_rounds` exactly;
`cabinet simulate --check` and the proofs verify this. numba is a separate extra (`pip install 'cabinet[kernels]'`) and
is never installed on a cabinet.
"""
