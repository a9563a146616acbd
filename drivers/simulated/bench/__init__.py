"""The cabinet's front in one pygame window."""
