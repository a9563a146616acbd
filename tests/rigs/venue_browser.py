"""A real browser at the page: Debian's chromium by selenium, and the page served by gunicorn."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from tests.rigs.needing import skip
from tests.rigs.patience import PATIENCE_S
from tests.rigs.postgres import VenueDatabase

WIDTHS = {"phone": (390, 844), "desk": (1280, 900), "wall": (1920, 1080)}
"""The three widths that pages are looked at."""
CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")


class ServedPage:
    """The page of a database, served by gunicorn on the loopback while the context lasts, with its usual settings.

    `arguments` are further ones of gunicorn, `more` further keys of the page's configuration.
    """

    def __init__(self, database: VenueDatabase, folder: Path, arguments: Sequence[str] = (), **more: object) -> None:
        self._arguments = arguments
        self._log = folder / "gunicorn.log"
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        (folder / "secret").write_text("a secret of tests, which nobody else ever uses, 0123456789")
        config = {
            "database": database.dsn("venue_page"),
            "secret_file": str(folder / "secret"),
            "name": "Casino Royal",
            "spool": str(folder / "rounds"),
            **more,
        }
        # A JSON string or list of strings is one in TOML too.
        lines = [f"{key} = {json.dumps(value)}" for key, value in config.items()]
        (folder / "page.toml").write_text(
            "\n".join(["[page]", *lines, 'hosts = ["127.0.0.1", "localhost"]', "https = false", ""])
        )
        self.environment = {**os.environ, "VENUE_PAGE": str(folder / "page.toml")}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The page's address without a slash at its end."""
        return f"{'https' if self.is_secure else 'http'}://127.0.0.1:{self.port}"

    @property
    def is_secure(self) -> bool:
        """Whether gunicorn serves it over TLS."""
        return any(argument.startswith("--certfile") for argument in self._arguments)

    def __enter__(self) -> Self:
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "gunicorn",
                    "--config=python:venue.page.gunicorn_settings",
                    f"--bind=127.0.0.1:{self.port}",
                    *self._arguments,
                    "venue.page.wsgi",
                ],
                env=self.environment,
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return self
            time.sleep(0.1)
        raise TimeoutError(self._log.read_text())

    def __exit__(self, *_error: object) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(timeout=PATIENCE_S)


def browser(width: int = 1280, height: int = 900, *, dark: bool = False, language: str = "en") -> webdriver.Chrome:
    """Return chromium without a window; skip (or fail where it is asked for) the test where it is not installed."""
    if not (CHROMIUM.exists() and DRIVER.exists()):
        if os.environ.get("CABINET_NEEDS_CHROMIUM"):
            pytest.fail("chromium is not installed")
        skip("chromium is not installed", "apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(argument)
    options.add_argument(f"--window-size={width},{height}")
    options.add_argument(f"--lang={language}")
    if dark:
        options.add_argument("--force-dark-mode")
    options.add_experimental_option("prefs", {"intl.accept_languages": language})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    found = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
    found.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600},
    )
    if dark:
        found.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
        )
    return found


def log_in(page: webdriver.Chrome, url: str, session: str) -> None:
    """Give the browser a session that is logged in."""
    page.get(f"{url}/wall/values")
    page.add_cookie({"name": "sessionid", "value": session, "path": "/", "sameSite": "Strict"})


def whole_picture(page: webdriver.Chrome, path: Path) -> None:
    """Save the whole page, however long it is."""
    size = page.execute_script("return [document.documentElement.clientWidth, document.documentElement.scrollHeight]")
    metrics = {"width": size[0], "height": min(size[1], 6000), "deviceScaleFactor": 1, "mobile": size[0] < 600}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    page.save_screenshot(str(path))
