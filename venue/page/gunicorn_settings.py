"""How gunicorn serves the page: `gunicorn --config python:venue.page.gunicorn_settings venue.page.wsgi`."""

worker_class = "venue.page.worker.PatientWorker"
workers = 2
threads = 4
worker_connections = 500
"""Connections of a worker that may be open; below the 1,024 files that a process has by default."""
control_socket_disable = True
"""Nobody speaks to gunicorn while it runs, and its user has no home folder to keep a socket in."""
