"""The page's configuration: a TOML file, named by the environment variable `VENUE_PAGE`.

All keys are checked at start; the error message for a wrong one names the file, the key and the allowed values.
"""

import os
import tomllib
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec

VARIABLE = "VENUE_PAGE"
"""Environment variable that holds the path of the configuration file."""


class ConfigError(ValueError):
    """The configuration cannot be used; the message names the file, the key and what to do."""


class Config(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The section `[page]` of the configuration.

    `database` is the libpq connection string of the page's own role. `secret_file` holds the key that signs sessions,
    at least 50 characters. `hosts` are the names under which browsers reach the page. `https` may be false only if the
    page serves this machine alone; only then may `second_factor` be false, so that operators need no second factor.
    `proxied` means that a reverse proxy sets the headers X-Forwarded-For and X-Forwarded-Proto. `spool` is the folder
    for pictures of rounds. `display` is the command that draws a round: it gets a record as JSON on standard input and
    a folder as its last argument; it is empty if the display's program is not installed. If `metrics_token` is set,
    `/metrics` requires it; otherwise `/metrics` answers only this machine.
    """

    database: str
    secret_file: Path
    hosts: tuple[str, ...]
    https: bool = True
    second_factor: bool = True
    proxied: bool = False
    name: str = "Venue"
    language: str = "en"
    timezone: str = "Europe/Berlin"
    currency: str = "EUR"
    spool: Path = Path("/var/lib/cabinet-venue/rounds")
    display: tuple[str, ...] = ()
    metrics_token: str = ""

    def __post_init__(self) -> None:
        """Check the values that the types do not check; raises `ValueError`."""
        if self.language not in ("en", "de"):
            raise ValueError("language must be en or de")
        if self.https and not self.second_factor:
            raise ValueError("second_factor may be false only where https is")
        for name, path in (("secret_file", self.secret_file), ("spool", self.spool)):
            if not path.is_absolute():
                raise ValueError(f"{name} is {path}; give the whole path, from / on")
        if not self.hosts:
            raise ValueError("hosts must name at least one host")
        try:
            ZoneInfo(self.timezone)
        except (KeyError, ValueError, OSError) as error:
            raise ValueError(f"timezone {self.timezone!r} is not known: write one like Europe/Berlin") from error


class _File(msgspec.Struct, frozen=True):
    page: Config


def _path(kind: type, value: object) -> Path:
    if kind is Path and isinstance(value, str):
        return Path(value)
    raise ValueError("a path is written as text")


def load(path: Path) -> Config:
    """Load the section `[page]` of the file at `path`; raises `ConfigError`."""
    try:
        table = tomllib.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is not TOML: {error}") from error
    try:
        return msgspec.convert(table, _File, dec_hook=_path).page
    except msgspec.ValidationError as error:
        raise ConfigError(f"{path}: {error}") from error


def from_environment() -> Config:
    """Load the configuration file that `VENUE_PAGE` names; raises `ConfigError`."""
    path = os.environ.get(VARIABLE)
    if not path:
        raise ConfigError(f"set {VARIABLE} to the path of the page's configuration")
    return load(Path(path))


def secret(config: Config) -> str:
    """Read the key that signs sessions; raises `ConfigError` if it is missing or too short."""
    try:
        key = config.secret_file.read_text().strip()
    except OSError as error:
        raise ConfigError(f"{config.secret_file} (secret_file) cannot be read: {error.strerror}") from error
    if len(key) < 50:  # noqa: PLR2004 - Django's own check asks for it
        raise ConfigError(f"{config.secret_file} (secret_file) holds {len(key)} characters; it needs at least 50")
    return key
