"""Tests of drivers.simulated.ssp."""
