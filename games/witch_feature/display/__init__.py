"""The display of Witch Feature: its theme, scenes, acts and art."""
