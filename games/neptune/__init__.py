"""Neptune: five reels, fifteen lines, free spins and treasure chests (rules/neptune.txt)."""
