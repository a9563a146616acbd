"""Tests of drivers.simulated.pins."""
