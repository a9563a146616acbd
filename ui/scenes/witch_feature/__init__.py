"""Witch Feature's own shows: potions collected and brewed, cards, and the marks of its respins."""
