"""Tests of drivers.simulated.mdb."""
