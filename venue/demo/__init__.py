"""Demo venue: its own PostgreSQL, the page, and three simulated cabinets that play by themselves."""
