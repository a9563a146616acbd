"""The page's settings for tests and for mypy: a configuration in a folder of its own, written before it is read."""

import os
import tempfile
from pathlib import Path

# One folder for all runs of a user: mypy and the workers of a test run end without tidying up.
FOLDER = Path(tempfile.gettempdir()) / f"venue-page-of-tests-{os.getuid()}"
FOLDER.mkdir(mode=0o700, exist_ok=True)


def _put(name: str, content: str) -> None:
    fresh = FOLDER / f"{name}.{os.getpid()}"
    fresh.write_text(content)
    fresh.replace(FOLDER / name)


_put("secret", "a secret of tests, which nobody else ever uses, 0123456789")
_put(
    "page.toml",
    f"""[page]
database = "dbname=chosen_by_the_test"
secret_file = "{FOLDER}/secret"
hosts = ["testserver", "localhost", "127.0.0.1"]
https = false
name = "Casino Royal"
spool = "{FOLDER}/rounds"
""",
)
os.environ["VENUE_PAGE"] = str(FOLDER / "page.toml")

from venue.page.settings import *  # noqa: E402, F403 - read after the file is there

# A test's password is stored with as little work as may be.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher", "django.contrib.auth.hashers.ScryptPasswordHasher"]
