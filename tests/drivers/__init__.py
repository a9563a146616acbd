"""Tests of drivers, wire codecs and simulated devices."""
