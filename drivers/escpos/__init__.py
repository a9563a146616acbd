"""ESC/POS: printers of receipts and tickets."""
