"""Files: atomic, durable writes, and bounded reads."""
