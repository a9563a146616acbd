"""What is really there, each with its mend: read from the kernel, asked of the devices, held against `cabinet.toml`."""
