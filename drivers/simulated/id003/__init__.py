"""A simulated ID-003 bill validator."""
