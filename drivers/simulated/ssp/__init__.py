"""Simulated SSP and eSSP devices: a bill validator, a note recycler and a SMART Hopper."""
