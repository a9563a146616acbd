"""Tests of drivers.mdb."""
