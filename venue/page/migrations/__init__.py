"""The tables that belong to the page alone."""
