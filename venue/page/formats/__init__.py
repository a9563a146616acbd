"""Date formats of the page's languages where they differ from Django's: 2026-11-22 in English."""
