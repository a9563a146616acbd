"""Migrations of the tables that only the page uses."""
