"""The cabinet's hardware: drivers as supervised tasks, and the booking of their reports."""
