"""MCP23017 port expanders on the I2C bus, and their pins for gpiozero."""
