"""Answer a SAS host: meters, exceptions, remote acts and transfers at this cabinet (docs/host-port.md)."""
