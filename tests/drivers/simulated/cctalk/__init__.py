"""Tests of drivers.simulated.cctalk."""
