"""The bench in a browser: the same front, connections and controls as the window's, served on the loopback."""
