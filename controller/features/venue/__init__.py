"""The cabinet's link to its venue (docs/venue-protocol.md): imported only where `[venue]` is configured."""
