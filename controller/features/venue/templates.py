"""Templates of settings proposed by a venue: part of a `cabinet.toml`, limited to settings of the service menu."""

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from controller.configuration.cabinet_toml import Config
from controller.settings.settings import fitted
from controller.settings.settings_table import all_settings

LARGEST_BYTES = 256 * 1024
LONGEST_LINE = 1_000
"""The most bytes of a line: a key of many parts takes the parser minutes."""
_SYSTEMS = "network.enabled"
"""Excluded: the operating system applies this setting, and only a person may switch it."""


class TemplateError(ValueError):
    """A template cannot be proposed; the text names the key and says why."""


def template_of(content: bytes, file_config: Config, stored: Mapping[str, str]) -> dict[str, str]:
    """Return a template's settings as JSON values by key; raise `TemplateError`.

    Each setting must be valid in `file_config` combined with the `stored` settings.
    """
    if any(len(line) > LONGEST_LINE for line in content.splitlines()):
        raise TemplateError(f"the template is no TOML that is taken: a line has at most {LONGEST_LINE} bytes")
    try:
        values = dict(_leaves(tomllib.loads(content.decode("utf-8-sig"))))
    except (ValueError, RecursionError) as error:  # not text, not TOML, a number of 5,000 digits, or nested too deeply
        raise TemplateError(f"the template is no TOML: {error}") from error
    known = {setting.key for setting in all_settings(file_config)} - {_SYSTEMS}
    if not values:
        raise TemplateError("the template has no settings")
    for key, value in values.items():
        if key not in known:
            raise TemplateError(f"{key}: is no setting of the service menu; take it out of the template")
        if not _is_plain(value):
            raise TemplateError(f"{key}: must be a switch, a whole number, a text or a list of them")
    encoded = {key: msgspec.json.encode(value).decode() for key, value in values.items()}
    for problem in fitted(file_config, {**stored, **encoded}).unfit:
        if problem.key in encoded:
            raise TemplateError(f"{problem.key}: {problem.text}")
    return encoded


def _leaves(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


def _is_plain(value: object) -> bool:
    members = value if isinstance(value, list) else [value]
    return all(isinstance(member, bool | int | str) for member in members)
