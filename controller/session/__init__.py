"""The player's choices: bet, autospin, volume."""
