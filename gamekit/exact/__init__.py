"""Exact mathematics of the games: integers and fractions, no sampling and no floating point."""
