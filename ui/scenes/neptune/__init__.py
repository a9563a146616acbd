"""Neptune's own words."""
