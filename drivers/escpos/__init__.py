"""ESC/POS drivers: receipt and ticket printers."""
