"""The display of Neptune: its theme, scenes, acts and art."""
