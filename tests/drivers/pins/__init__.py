"""Tests of drivers.pins."""
