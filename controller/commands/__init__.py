"""The commands of `cabinet`, one module each; `controller/cli.py` imports them when they run."""
