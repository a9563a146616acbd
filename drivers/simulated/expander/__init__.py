"""A simulated port expander and its I2C bus over a socket."""
