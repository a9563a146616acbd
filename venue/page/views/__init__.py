"""The views, a module for each subject; `venue.page.urls` lists them with the role that each needs."""
