"""The fault model: the possible faults of each simulated device, one declared row for each."""
