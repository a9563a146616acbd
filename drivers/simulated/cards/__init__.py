"""Simulated readers of staff cards."""
