"""Readers of staff cards: a keyboard wedge, and PC/SC."""
