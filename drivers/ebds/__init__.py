"""EBDS drivers: bill validators of MEI and CPI."""
