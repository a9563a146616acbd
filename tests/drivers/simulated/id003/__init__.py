"""Tests of drivers.simulated.id003."""
