"""Helpers for every other folder: error messages for people, and decoding JSON from an untrusted sender."""
