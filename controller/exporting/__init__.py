"""What leaves the cabinet: signed exports, backups and diagnostics on a USB stick, and meters as a QR code."""
