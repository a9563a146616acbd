"""Removable media: sticks, and signed folders on them."""
