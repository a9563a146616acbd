"""The Debian package: lintian finds nothing in it but what its overrides name, each with its reason."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.systemd.unit_files import SYSTEMD

TOOLS = ("lintian", "dpkg-deb")


@pytest.mark.proof
@pytest.mark.skipif(any(shutil.which(tool) is None for tool in TOOLS), reason=f"needs {' and '.join(TOOLS)}")
def test_lintian_finds_nothing_else(tmp_path: Path) -> None:
    """Of a tree with the system files in their places and no library, game or picture."""
    tree = tmp_path / "tree"
    home = tree / "opt/cabinet"
    (home / "venv/lib/python3.13/site-packages").mkdir(parents=True)
    (home / "venv/bin").mkdir()
    cabinet = home / "venv/bin/cabinet"
    cabinet.write_text("#!/opt/cabinet/venv/bin/python\n", encoding="utf-8")
    cabinet.chmod(0o755)
    shutil.copytree(SYSTEMD, home / "system", ignore=shutil.ignore_patterns("__pycache__"))
    (home / "version").write_text("0.0.1\n", encoding="utf-8")
    subprocess.run([SYSTEMD / "place", tree], check=True)
    command = [SYSTEMD / "make-deb", "--staged", tree, "--architecture", "arm64"]
    package = Path(subprocess.check_output(command, text=True).strip())
    try:
        judge = ["lintian", "--allow-root", "--fail-on", "error,warning", package]
        done = subprocess.run(judge, capture_output=True, text=True, check=False)
    finally:
        package.unlink()
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr
