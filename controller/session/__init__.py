"""What a player has chosen: bet, autospin, volume."""
