"""What each simulated device can do wrong: one declared row for each."""
