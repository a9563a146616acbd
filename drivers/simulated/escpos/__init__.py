"""A simulated thermal ticket printer that speaks ESC/POS."""
