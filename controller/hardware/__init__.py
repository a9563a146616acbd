"""The cabinet's hardware: drivers as supervised tasks, and what their words mean in the books."""
