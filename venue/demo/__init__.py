"""A venue to try: its own PostgreSQL, the page, and three simulated cabinets that play by themselves."""
