"""Simulated cabinet devices: each answers its line as the real device does and keeps its own memory."""
