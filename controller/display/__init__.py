"""The supervisor's end of the display."""
