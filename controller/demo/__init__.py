"""`cabinet demo`: the whole cabinet with simulated hardware, for a hand at the bench or played by a script."""
