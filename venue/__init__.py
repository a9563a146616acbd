"""The venue's server: linked jackpot pools and the books of many cabinets, in PostgreSQL."""
