"""Signed exports, backups and diagnostics on a USB stick, and the meters as a QR code."""
