"""Sounds synthesised at bake time: the shared ones, and the tools for a world's own."""
