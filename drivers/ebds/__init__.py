"""EBDS: bill validators of MEI and CPI."""
