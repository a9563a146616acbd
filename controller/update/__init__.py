"""What of the machine can run or decide an outcome, signed, and proved again and again (standards.md S1 to S4)."""
