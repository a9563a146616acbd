"""U.14: the set-up guide of a new cabinet, step by step; it opens by itself until it is completed.

Each step is a page whose last row opens the next one. Settings are changed as in C, and completed steps are stored in
the journal, so that the guide continues at the same step after a power cut.
"""
