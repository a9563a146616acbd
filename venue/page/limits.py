"""How much a request may hold that is no upload of software (`venue.page.uploads`)."""

LARGEST_FORM = 64 * 1024
"""Bytes of a form, and of whatever is sent to another address or by somebody who may not upload."""
