"""Size limit of requests other than software uploads (`venue.page.uploads`)."""

LARGEST_FORM = 64 * 1024
"""Maximum body size in bytes, except for an upload by an account that may upload software."""
