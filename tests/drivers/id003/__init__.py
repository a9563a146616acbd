"""Tests of drivers.id003."""
