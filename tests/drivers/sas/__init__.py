"""Tests of drivers.sas."""
