"""Copies of the books: the second copy, a backup, restoring, rebuilding, and a full clear."""
