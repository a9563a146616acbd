"""What only Mona Lisa Jewels shows: jewel spins behind a locked reel, multiplying wilds, the jackpot."""
