"""Tests of drivers.simulated."""
