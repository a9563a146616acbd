"""What makes a card for a cabinet: scripts, and the wheels of aarch64."""
