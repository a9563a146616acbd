"""SQL queries of the page on the venue's schema, with one module for each subject."""
