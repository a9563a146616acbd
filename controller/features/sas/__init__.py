"""What a host's polls mean at this cabinet: meters, exceptions, remote acts and transfers (docs/host-port.md)."""
