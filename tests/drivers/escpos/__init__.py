"""Tests of drivers.ssp."""
