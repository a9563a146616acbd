"""Settings of gunicorn: `gunicorn --config python:venue.page.gunicorn_settings venue.page.wsgi`."""

worker_class = "venue.page.worker.PatientWorker"
workers = 2
threads = 4
worker_connections = 500
"""Maximum open connections per worker; below the default limit of 1,024 open files per process."""
control_socket_disable = True
"""The control socket is not used, and gunicorn's user has no home folder for it."""
