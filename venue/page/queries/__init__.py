"""The SQL that the page reads from the venue's schema, a module for each subject."""
