"""What the program needs: the interpreter, its libraries and shared objects, found and listed whole."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import SimpleNamespace

import pytest

from controller.features.update.manifest import Kind, Manifest, Wrong, differences
from controller.features.update.platform import (
    chain,
    imported_files,
    library_folders,
    outermost,
    platform_of,
    running_files,
    shared_objects,
)
from tests.rigs import paths
from tests.rigs.installed_tree import put

ROOT = str(paths.ROOT)
HOME = str(Path(sys.prefix).resolve())
"""In the place of a cabinet's own folder: the environment that the tests run in."""
MODULES = Path(sysconfig.get_config_var("DESTSHARED"))
"""The interpreter's compiled modules."""
SCRIPT = """
import hashlib, sqlite3
from controller.features.update.platform import running_files
print(*running_files(), sep="\\n")
"""
IMPORTS = """
import controller.supervisor
from controller.features.update.platform import imported_files
print(*imported_files(), sep="\\n")
"""


def test_every_shared_object_of_the_interpreter_is_listed_with_the_links_that_lead_there(tmp_path: Path) -> None:
    """The interpreter, the C library, SQLite's and OpenSSL's: what the loader would give them, by every name."""
    (tmp_path / "lib").mkdir()
    for module in (*MODULES.glob("_sqlite3*.so"), *MODULES.glob("_hashlib*.so")):
        (tmp_path / "lib" / module.name).symlink_to(module)
        (tmp_path / "lib" / f"copy-{module.name}").write_bytes(module.read_bytes())
    manifest = platform_of(sys.executable, [str(tmp_path / "lib"), str(tmp_path / "away")], HOME)
    names = {Path(entry.path).name.partition(".so")[0] for entry in manifest.entries}
    assert {"libc", "libsqlite3", "libcrypto"} <= names
    assert os.path.realpath(sys.executable) in {entry.path for entry in manifest.entries}
    assert manifest.trees == (str(tmp_path / "lib"),)
    assert str(tmp_path / "away") in manifest.absent
    links = [entry for entry in manifest.entries if entry.kind is Kind.LINK]
    assert any(Path(entry.path).name.startswith("libsqlite3.so") for entry in links)
    assert not any(entry.path.startswith(f"{HOME}/") for entry in manifest.entries)


def test_what_this_process_runs_is_its_platforms_or_its_packages() -> None:
    """No code is mapped that neither manifest would list: what a preloaded library would break."""
    manifest = platform_of(sys.executable, [str(MODULES)], HOME)
    listed = {entry.path for entry in manifest.entries}
    said = subprocess.check_output([sys.executable, "-c", SCRIPT], text=True, cwd=ROOT, env={"PYTHONPATH": ROOT})
    assert "sqlite" in said
    assert {name for name in said.splitlines() if not name.startswith(f"{HOME}/")} - listed == set()


def test_a_folder_within_another_is_one() -> None:
    """Nothing is listed twice, and a name that merely begins alike is another folder."""
    assert outermost(["/usr/lib/python3", "/usr/lib/python3/dist-packages/", "/usr/lib/python3.13"]) == (
        "/usr/lib/python3",
        "/usr/lib/python3.13",
    )


def test_a_link_leads_to_all_that_it_leads_to(tmp_path: Path) -> None:
    """Each name on the way, links above a name resolved; a ring ends, and what is no file at the end is not listed."""
    real = put(tmp_path, "/usr/lib/libz.so.1.3")
    (tmp_path / "lib").symlink_to("usr/lib")
    (tmp_path / "usr/lib/libz.so.1").symlink_to("libz.so.1.3")
    assert list(chain(f"{tmp_path}/lib/libz.so.1")) == [f"{tmp_path}/usr/lib/libz.so.1", str(real)]
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert list(chain(f"{tmp_path}/a")) == [f"{tmp_path}/a", f"{tmp_path}/b"]
    (tmp_path / "masked").symlink_to("/dev/null")
    assert list(chain(f"{tmp_path}/masked")) == [f"{tmp_path}/masked"]
    (tmp_path / "folder").symlink_to("usr")
    assert list(chain(f"{tmp_path}/folder")) == [f"{tmp_path}/folder"]


def test_a_link_out_of_a_library_is_listed_with_what_it_leads_to(tmp_path: Path) -> None:
    """Debian's sitecustomize.py lies in /etc: changed there, it is noticed like the library itself."""
    custom = put(tmp_path, "/etc/python3.13/sitecustomize.py")
    library = put(tmp_path, "/usr/lib/python3.13/random.py").parent
    (library / "sitecustomize.py").symlink_to(custom)
    manifest = platform_of(sys.executable, [str(library)], HOME)
    custom.write_text("import evil\n")
    own = Manifest(kind="platform", version="", entries=tuple(e for e in manifest.entries if "/etc/" in e.path))
    found = differences(own, owner=os.getuid())
    assert [(difference.path, difference.wrong) for difference in found] == [(str(custom), Wrong.CHANGED)]


def test_what_is_no_program_needs_nothing(tmp_path: Path) -> None:
    """A file that is merely called a library is no reason to fail."""
    fake = put(tmp_path, "/fake.so", "text")
    assert shared_objects([str(fake)]) == set()


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("7f0 r-xp 0000 fe:01 12   /usr/lib/libc.so.6", "/usr/lib/libc.so.6"),
        ("7f0 r-xp 0000 fe:01 12   /opt/cabinet/x.so (deleted)", "/opt/cabinet/x.so (deleted)"),
        ("7f0 r--p 0000 fe:01 12   /usr/lib/libc.so.6", None),
        ("7f0 r-xp 0000 00:00 0    [vdso]", None),
        ("7f0 rwxp 0000 00:00 0", None),
        ("7f0 r-xp 0000 00:01 9    /memfd:libffi (deleted)", None),
    ],
)
def test_only_files_whose_code_may_run_count(tmp_path: Path, line: str, name: str | None) -> None:
    """Data is no code, the kernel's own page and libffi's memory are no files; a replaced file is named as one."""
    (tmp_path / "maps").write_text(f"{line}\n", encoding="utf-8")
    assert running_files(tmp_path / "maps") == ({name} if name else set())


def test_a_module_is_named_by_its_file_and_not_by_a_link_to_its_folder(tmp_path: Path) -> None:
    """As the manifests list it; what was built in or made by hand has no file."""
    source = put(tmp_path, "/lib/game.py", "")
    (tmp_path / "lib64").symlink_to("lib")
    modules = [SimpleNamespace(__file__=f"{tmp_path}/lib64/game.py"), SimpleNamespace(__file__=None), object()]
    assert imported_files(modules) == {os.path.realpath(source)}


def test_what_this_process_has_imported_lies_where_a_manifest_looks() -> None:
    """A module from anywhere else is one that nobody has signed."""
    said = subprocess.check_output([sys.executable, "-c", IMPORTS], text=True, cwd=ROOT, env={"PYTHONPATH": ROOT})
    trees = (HOME, ROOT, *(os.path.realpath(folder) for folder in library_folders()))
    assert f"{ROOT}/controller/features/update/platform.py" in said.splitlines()
    assert [name for name in said.splitlines() if not name.startswith(trees)] == []


def test_the_interpreter_names_where_it_looks_for_modules() -> None:
    """Its own library and the place of the system's packages, there or not."""
    assert sysconfig.get_path("stdlib") in set(library_folders())
