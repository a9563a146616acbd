"""Background tasks: storage, archive, installed software, an update on trial, powered-on time."""
