"""The slot games: rules, strips, paytables, art, sounds and their exact mathematics."""
