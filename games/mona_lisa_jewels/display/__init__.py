"""The display of Mona Lisa Jewels: its theme, scenes, acts and art."""
