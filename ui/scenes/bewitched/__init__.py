"""Bewitched's own scenes: the choice of a witch, the battle, Merlin's vials, and what stands around the reels."""
