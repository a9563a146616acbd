"""Commands of `python -m venue.page`."""
