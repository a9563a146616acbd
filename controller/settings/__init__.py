"""The settings stored in the journal over `cabinet.toml`, and the set-up checks at the start."""
