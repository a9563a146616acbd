"""MDB peripherals and the serial bridge that they hang on."""
