"""The player's actions: choose, bet, play rounds from draws, view past rounds, and cash out."""
