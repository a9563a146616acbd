"""The venue's web page: a Django project to monitor and manage the cabinets of one venue."""
