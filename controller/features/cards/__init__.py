"""Staff cards: who they belong to, and what they open in the service menu."""
