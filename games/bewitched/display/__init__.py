"""The display of Bewitched: its theme, scenes, acts and art."""
