"""The venue's web page: a Django project that shows and manages the cabinets of one venue."""
