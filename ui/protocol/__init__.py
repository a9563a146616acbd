"""Shared by supervisor and display: their messages, and the values in them."""
