"""Simulated MDB peripherals and the serial bridge that connects them to the host."""
