"""A simulated SSP bill validator."""
