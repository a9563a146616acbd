"""A simulated EBDS bill validator."""
