"""English formats: ISO 8601 dates, which are read alike in every country."""
