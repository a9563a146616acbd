"""A bill validator that speaks EBDS."""
