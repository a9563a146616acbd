"""Everything that touches a wire or a pin: drivers, wire codecs and the simulated other ends."""
