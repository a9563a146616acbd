"""Drivers of coin and note acceptors with pulse outputs."""
