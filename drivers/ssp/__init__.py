"""ITL SSP drivers: bill validators, note recyclers and hoppers."""
