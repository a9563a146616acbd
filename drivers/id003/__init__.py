"""JCM ID-003: bill validators on a line of their own."""
