"""The cabinet's devices seen from the other end of the wire, with memories of their own."""
