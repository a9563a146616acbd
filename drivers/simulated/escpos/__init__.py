"""A thermal ticket printer that speaks ESC/POS, from the device's side."""
