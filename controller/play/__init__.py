"""What players do: choose, bet, play rounds from draws, look back at them, and cash out."""
