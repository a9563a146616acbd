"""ITL SSP: bill validators on a line of their own."""
