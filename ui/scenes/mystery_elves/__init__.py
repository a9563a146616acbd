"""Mystery Elves' own scenes: bonus symbols with what they carry, Hold and Win, and buying it."""
