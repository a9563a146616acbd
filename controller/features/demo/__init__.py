"""`cabinet demo`: the whole cabinet with simulated hardware, operated at the bench window or played by a script."""
