"""Installs packages with pip into a given environment.

Run as `python -I controller/features/demo/pip_install.py [--into PYTHON] NAME ARGUMENT...`.

The environment is that of the interpreter that runs this, or that of PYTHON. All packages are installed there, whatever
pip's files and environment variables say: of those settings only the ones about package sources apply. NAME is the
distribution that must be present afterwards, or `-` for none, for example if `--target` names a plain folder.
"""

import ast
import os
import subprocess
import sys

SOURCES = frozenset(
    {
        *("index-url", "extra-index-url", "no-index", "find-links", "prefer-binary", "only-binary", "no-binary"),
        *("trusted-host", "cert", "client-cert", "proxy", "timeout", "retries", "keyring-provider", "use-feature"),
        *("cache-dir", "no-cache-dir", "no-input", "no-color", "progress-bar"),
    }
)
"""The settings of pip about package sources and its prompts and output; none changes where packages are installed."""
_PIP = (sys.executable, "-I", "-m", "pip")


def sources(listed: str) -> dict[str, str]:
    """Return the `SOURCES` among the lines of `pip config list`, as variables of pip's environment.

    Later ones override earlier ones: settings for all commands, then those of `install`, then those of the environment.
    """
    found: dict[str, dict[str, str]] = {}
    for line in listed.splitlines():
        key, _, value = line.partition("=")
        section, _, name = key.rpartition(".")
        if name.replace("_", "-") in SOURCES:
            found.setdefault(section, {})[f"PIP_{name.replace('-', '_').upper()}"] = str(ast.literal_eval(value))
    return {name: value for section in ("global", "install", ":env:") for name, value in found.get(section, {}).items()}


def environment(listed: str) -> dict[str, str]:
    """Return the environment variables for pip's install: no configuration files and only the source settings."""
    others = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "PYTHON"))}
    return {**others, **sources(listed), "PIP_CONFIG_FILE": os.devnull}


_LOOK = """
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
try:
    place = Path(str(distribution(sys.argv[1]).locate_file(""))).resolve()
except PackageNotFoundError:
    sys.exit(sys.prefix)
sys.exit(None if place.is_relative_to(Path(sys.prefix).resolve()) else sys.prefix)
"""
"""Exits with the environment's folder as its message if the distribution is not installed in it."""


def own_environment() -> dict[str, str]:
    """Return `environment` with this computer's settings; raise `CalledProcessError` if pip cannot read its files."""
    # What is set for pip holds for this question too: another interpreter, and a pip that prints nothing.
    command = [*_PIP, "--python", sys.executable, "-vvv", "config", "list"]
    listed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603
    return environment(listed.stdout)


def install(name: str, arguments: list[str], python: str = sys.executable) -> int:
    """Run pip's install for `python`'s environment; return its exit code.

    The code is 1 if pip succeeded but the distribution `name` is not there.
    """
    try:
        own = own_environment()
    except subprocess.CalledProcessError as error:
        return error.returncode
    into = () if python == sys.executable else ("--python", python)
    command = [*_PIP, *into, "install", "--no-user", *arguments]
    if code := subprocess.run(command, check=False, env=own).returncode:  # noqa: S603
        return code
    if name == "-":
        return 0
    look = [python, "-I", "-c", _LOOK, name]
    found = subprocess.run(look, check=False, stderr=subprocess.PIPE, text=True)  # noqa: S603
    if found.returncode:
        mend = "`pip config debug` shows what is set for it"
        sys.stderr.write(f"{name} is not in {found.stderr.strip()}, though pip ended well: {mend}\n")
    return found.returncode


if __name__ == "__main__":
    into = sys.argv[2:3] if sys.argv[1:2] == ["--into"] else []
    name, *rest = sys.argv[3 if into else 1 :]
    sys.exit(install(name, rest, *into))
