"""The display of Star Quarry: its theme and its art."""
