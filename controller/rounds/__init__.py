"""Rounds without a cabinet: the engine, its draws, and the replay."""
