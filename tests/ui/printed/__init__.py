"""What the paytable and the rules print, sentence by sentence in both languages, beside what the game pays."""
