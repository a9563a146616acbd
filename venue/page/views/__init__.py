"""Views of the page, with one module for each subject; `venue.page.urls` lists the role that each requires."""
