"""Player protection: reality checks, limits, breaks, and presets of jurisdictions."""
