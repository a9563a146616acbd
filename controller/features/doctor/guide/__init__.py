"""U.14: the set-up guide of a new cabinet, step by step; it opens by itself until it has been gone through.

Each step is a page whose last row leads on. What is set is set as in C, and what is done is kept in the journal, so
that the guide goes on after a power cut where it was.
"""
