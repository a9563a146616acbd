"""English: dates by ISO 8601, which no two countries read differently."""
