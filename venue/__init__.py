"""The venue server: linked jackpot pools and the accounts of all cabinets, stored in PostgreSQL."""
