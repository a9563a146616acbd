"""The configuration of a cabinet: `cabinet.toml` and its checks."""
