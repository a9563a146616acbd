"""Finds reel strips for a designer's targets: `cabinet tune`, on a designer's machine.

Simulated annealing over strips. A step knows the return of every neighbour exactly by one line's sums (`line_sums`);
hit frequency and sigma of what it takes come from the classes of `gamekit.exact` that `cabinet par` uses. It needs the
standard library alone: nothing is compiled, and nothing loaded, before a search begins. Games of ways are measured by
compiled code instead, cascades over their full cycle (`ways_measure`, `ways_search`), with numba. Floating point guides
the search; what is shown in the end and judged is exact.
"""
