"""Tests of drivers.simulated.ebds."""
