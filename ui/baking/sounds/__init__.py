"""Sounds synthesised at bake time: those that all worlds share, and what a world's own are made with."""
