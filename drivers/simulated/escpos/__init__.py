"""A thermal ticket printer that speaks ESC/POS, simulated as a device."""
