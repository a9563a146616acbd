"""The configuration of one cabinet: `cabinet.toml`, what it must satisfy, and what a technician has set over it."""
