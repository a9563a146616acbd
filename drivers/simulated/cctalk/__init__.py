"""Simulated ccTalk devices and the line they share."""
