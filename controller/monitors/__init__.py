"""Tasks in the background: storage, archive, installed software, an update on trial, powered time."""
