"""Tests of drivers.pulse."""
