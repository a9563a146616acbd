"""`python -m controller` is `cabinet`, for whoever must name the interpreter."""

from controller.cli import run

run()
