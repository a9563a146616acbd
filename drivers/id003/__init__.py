"""JCM ID-003 drivers: bill validators on an unshared line."""
