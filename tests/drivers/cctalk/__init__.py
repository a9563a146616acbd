"""Tests of drivers.cctalk."""
