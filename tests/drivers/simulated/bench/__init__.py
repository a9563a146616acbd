"""Tests of drivers.simulated.bench."""
