"""Tests of drivers.expander."""
