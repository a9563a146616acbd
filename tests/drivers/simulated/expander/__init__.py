"""Tests of drivers.simulated.expander."""
