"""The display of Mystery Elves: its theme, scenes, acts and art."""
