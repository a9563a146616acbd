"""Reports which hardware is present and how to correct faults, from the kernel, the devices and `cabinet.toml`."""
