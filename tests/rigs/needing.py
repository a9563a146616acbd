"""What a test needs of the machine. Where it is missing the test is skipped, with the reason and how to have it run."""

import shutil
from typing import NoReturn

import pytest


def skip(why: str, how: str) -> NoReturn:
    """Skip the test that runs: `why`, and `how` to have it run."""
    pytest.skip(f"{why}: {how}")


def skipped_where(missing: object, why: str, how: str) -> pytest.MarkDecorator:
    """Skip a test where something is `missing`: `why`, and `how` to have it run."""
    return pytest.mark.skipif(bool(missing), reason=f"{why}: {how}")


def needs_tools(*tools: str, packages: str = "") -> pytest.MarkDecorator:
    """Skip a test where a program of the system is missing; Debian has them in `packages`, else of their own names."""
    missing = [tool for tool in tools if shutil.which(tool) is None]
    return skipped_where(
        missing, f"{' '.join(missing)} not installed", f"apt-get install {packages or ' '.join(tools)}"
    )
