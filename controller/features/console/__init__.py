"""The service menu on a technician's console, over a local socket."""
