"""Tests of drivers.ebds."""
