"""Simulated ccTalk devices and the line that they share."""
