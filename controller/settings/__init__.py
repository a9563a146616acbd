"""The settings: what the journal keeps over `cabinet.toml`, and what is set up at the start."""
