"""Drivers of devices on header or expander pins: buttons, lamps, doors, meters, coin gates."""
