"""The simulated panel, doors and meters, and their pins over a socket."""
