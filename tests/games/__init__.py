"""Tests of the games and their mathematics."""
