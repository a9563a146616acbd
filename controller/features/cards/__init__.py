"""Staff cards: their owners, and their use in the service menu."""
