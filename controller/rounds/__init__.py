"""Rounds without a cabinet: the engine that plays them, its draws, and their replay."""
