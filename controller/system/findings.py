"""What a check of the computer finds, compared with `cabinet.toml` (`cabinet doctor`)."""

from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Protocol

import msgspec

from controller import feature
from controller.configuration.cabinet_toml import Config


class State(StrEnum):
    """The kind of a finding: as it should be, a note, or a fault to correct."""

    OK = "OK"
    NOTE = "note"
    MEND = "MEND"


class Finding(msgspec.Struct, frozen=True):
    """One line of the report: subject, what was found, and the remedy; `key` is the key of cabinet.toml, if any."""

    subject: str
    state: State
    found: str
    mend: str = ""
    key: str = ""


def fine(subject: str, found: str, *, key: str = "") -> Finding:
    """Return a finding for something that is as it should be."""
    return Finding(subject, State.OK, found, key=key)


def note(subject: str, found: str, mend: str = "", *, key: str = "") -> Finding:
    """Return a finding that is only information; nothing needs to be done."""
    return Finding(subject, State.NOTE, found, mend, key)


def wrong(subject: str, found: str, mend: str, *, key: str = "") -> Finding:
    """Return a finding for a fault that must be corrected."""
    return Finding(subject, State.MEND, found, mend, key)


class Computer(Protocol):
    """The computer's files, as the user `user` may read them."""

    @property
    def user(self) -> str:
        """The name of the user."""

    def path(self, absolute: str | Path) -> Path:
        """Return the real path of a path of that computer."""

    def may_exist(self, absolute: str | Path) -> bool:
        """Whether the path exists, or may exist in a folder that this user cannot read."""

    def listed(self, folder: str, pattern: str = "*") -> list[Path]:
        """Return the entries of a folder by name, as paths of that computer; none if the folder does not exist."""


Check = Callable[[Computer, Config | None], Iterator[Finding]]
"""Compares a computer with its configuration, None for an invalid or missing one."""


def checks_of_features() -> Iterator[Check]:
    """Yield the checks of all features."""
    return feature.imported(lambda one: one.check)
