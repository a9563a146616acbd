"""Tests of drivers.simulated.escpos."""
