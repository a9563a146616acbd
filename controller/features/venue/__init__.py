"""The cabinet's link to its venue (docs/venue-protocol.md); imported only if `[venue]` is configured."""
