"""Tests of the display process and of the art it draws with."""
