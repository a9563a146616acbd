"""What is wired to pins, of the header or of an expander: buttons, lamps, doors, meters, coin gates."""
