"""Have pip install into this environment: `python -I controller/features/demo/pip_install.py NAME ARGUMENT...`.

Whatever is set for pip in its files and in the environment, packages land here, and all of them: of those settings only
that counts which says where packages come from. NAME is the distribution that must be here afterwards.
"""

import ast
import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

SOURCES = frozenset(
    {
        *("index-url", "extra-index-url", "no-index", "find-links", "prefer-binary", "only-binary", "no-binary"),
        *("trusted-host", "cert", "client-cert", "proxy", "timeout", "retries", "keyring-provider", "use-feature"),
        *("cache-dir", "no-cache-dir", "no-input", "no-color", "progress-bar"),
    }
)
"""The settings of pip that say where packages come from, and how it asks and shows; none says where they go."""
_PIP = (sys.executable, "-I", "-m", "pip")


def sources(listed: str) -> dict[str, str]:
    """Return the `SOURCES` among the lines of `pip config list`, as variables of pip's environment.

    Those for all commands come first, those of `install` after them, those of the environment last.
    """
    found: dict[str, dict[str, str]] = {}
    for line in listed.splitlines():
        key, _, value = line.partition("=")
        section, _, name = key.rpartition(".")
        if name.replace("_", "-") in SOURCES:
            found.setdefault(section, {})[f"PIP_{name.replace('-', '_').upper()}"] = str(ast.literal_eval(value))
    return {name: value for section in ("global", "install", ":env:") for name, value in found.get(section, {}).items()}


def environment(listed: str) -> dict[str, str]:
    """Return the environment in which pip installs here: without its files, and with nothing set but the sources."""
    others = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "PYTHON"))}
    return {**others, **sources(listed), "PIP_CONFIG_FILE": os.devnull}


def is_here(name: str) -> bool:
    """Whether a distribution of that name is installed in this environment."""
    try:
        place = Path(str(distribution(name).locate_file(""))).resolve()
    except PackageNotFoundError:
        return False
    return place.is_relative_to(Path(sys.prefix).resolve())


def install(name: str, arguments: list[str]) -> int:
    """Run pip's install with these arguments; return its exit code, 1 where it ended well and `name` is not here."""
    listed = subprocess.run([*_PIP, "config", "list"], check=False, stdout=subprocess.PIPE, text=True)  # noqa: S603
    if listed.returncode:
        return listed.returncode
    command = [*_PIP, "install", "--no-user", *arguments]
    if code := subprocess.run(command, check=False, env=environment(listed.stdout)).returncode:  # noqa: S603
        return code
    if is_here(name):
        return 0
    sys.stderr.write(
        f"{name} is not in {sys.prefix}, though pip ended well: `pip config debug` shows what is set for it\n"
    )
    return 1


if __name__ == "__main__":
    sys.exit(install(sys.argv[1], sys.argv[2:]))
