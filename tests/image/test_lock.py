"""The lock resolves for a cabinet on aarch64, with Bookworm's Python and with Trixie's.

The names and requirements of the wheels are saved in index.json, as pip fetched them. After a change of
constraints.txt: `python -m image.wheels --python 3.11 --index tests/image/index.json FOLDER`, and the same for 3.13.
"""

import io
import json
import zipfile
from pathlib import Path

import pytest

from image.wheels import (
    GLIBC,
    Find,
    LockError,
    Wheel,
    build_requirement,
    pinned,
    project_files,
    refuse_stub,
    resolve,
    wanted,
)

INDEX = json.loads((Path(__file__).parent / "index.json").read_text(encoding="utf-8"))
RENEW = "renew tests/image/index.json (test_lock.py says how)"


def saved(index: dict[str, dict[str, list[str]]]) -> Find:
    """Return a `Find` in a saved index."""

    def find(name: str, version: str, python: str) -> Wheel:
        if name not in index[python]:
            raise LockError(f"no wheel of {name} {version} for Python {python} on aarch64; {RENEW}")
        file, *requires = index[python][name]
        assert file.split("-")[1] == version, f"{file} is not {version}; {RENEW}"
        return Wheel(file, tuple(requires))

    return find


@pytest.mark.parametrize("python", sorted(GLIBC))
def test_the_lock_resolves_on_aarch64(python: str) -> None:
    """Every release has a wheel that fits, the header's library and the expanders' bus among them."""
    requirements, pins = project_files()
    found = resolve(requirements, pins, python, saved(INDEX))
    assert found.keys() == INDEX[python].keys(), RENEW
    header = {"3.11": "lgpio", "3.13": "adafruit-lgpio"}[python]
    assert {header, "smbus2", "gpiozero", "pygame-ce"} <= found.keys()
    assert {"lgpio", "adafruit-lgpio"} & found.keys() == {header}


def test_the_build_backend_is_pinned() -> None:
    """Its version is written into the project's own wheel."""
    name, version = build_requirement().split("==")
    assert name == "hatchling"
    assert version[0].isdigit()


def test_a_requirement_without_a_pin_is_named() -> None:
    """What the lock lacks is not guessed."""
    with pytest.raises(LockError, match=r"pluggy.*has no release in constraints\.txt: add `pluggy==VERSION`"):
        resolve(["pluggy>=1"], {}, "3.13", saved(INDEX))


def test_a_pin_outside_of_the_range_is_named() -> None:
    """Both files are read against each other."""
    with pytest.raises(LockError, match=r"constraints.txt has pluggy==1\.7\.0, but pluggy>=2"):
        resolve(["pluggy>=2"], {"pluggy": "1.7.0"}, "3.13", saved(INDEX))


def test_a_wheel_for_another_machine_is_refused() -> None:
    """Neither another architecture nor another Python's build is taken."""
    for file in (
        "msgspec-0.22.0-cp313-cp313-manylinux_2_28_x86_64.whl",
        "msgspec-0.22.0-cp312-cp312-linux_aarch64.whl",
    ):
        index = {"3.13": {"msgspec": [file]}}
        with pytest.raises(LockError, match=r"does not fit Python 3\.13 on aarch64"):
            resolve(["msgspec"], {"msgspec": "0.22.0"}, "3.13", saved(index))


def test_markers_are_those_of_the_cabinet() -> None:
    """What only aarch64 needs is needed; what another system or Python needs is not."""
    index = {"3.13": {"one": ["one-1-py3-none-any.whl", "two; platform_machine == 'x86_64'", "three; extra == 'more'"]}}
    lines = ["one; platform_machine == 'aarch64'", "four; python_version < '3.13'"]
    assert resolve(lines, {"one": "1"}, "3.13", saved(index)).keys() == {"one"}
    with pytest.raises(LockError, match="three"):
        resolve(["one[more]"], {"one": "1"}, "3.13", saved(index))


def wheel(folder: Path, name: str, members: dict[str, bytes]) -> Path:
    """Write a wheel with `members`."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for member, data in members.items():
            archive.writestr(member, data)
    path = folder / name
    path.write_bytes(held.getvalue())
    return path


def elf(machine: int) -> bytes:
    """Return the head of a shared object for a machine (elf(5))."""
    return b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + (3).to_bytes(2, "little") + machine.to_bytes(2, "little")


def test_the_empty_stub_of_lgpio_is_refused(tmp_path: Path) -> None:
    """Release 0.0.0.2 of lgpio, which pip takes for a Python without a wheel, has no library."""
    stub = wheel(tmp_path, "lgpio-0.0.0.2-py3-none-any.whl", {"lgpio.py": b""})
    with pytest.raises(LockError, match="empty stub"):
        refuse_stub(stub, "3.13")


def test_a_header_library_for_another_machine_is_refused(tmp_path: Path) -> None:
    """The file's name is not believed; an aarch64 one is taken."""
    library = "_lgpio.cpython-313-aarch64-linux-gnu.so"
    other = wheel(tmp_path, "a.whl", {library: elf(62)})
    with pytest.raises(LockError, match="no library for aarch64"):
        refuse_stub(other, "3.13")
    refuse_stub(wheel(tmp_path, "b.whl", {library: elf(183)}), "3.13")


def test_names_are_compared_as_registries_do() -> None:
    """Case, dots and underscores do not matter."""
    assert pinned("PyYAML==6\npython_escpos==3.1 \n# none\n") == {"pyyaml": "6", "python-escpos": "3.1"}
    project = {"project": {"dependencies": ["a"], "optional-dependencies": {"pi": ["b"], "dev": ["c"]}}}
    assert wanted(project, ["pi"]) == ["a", "b"]


def test_an_extra_may_name_others_of_the_project() -> None:
    """As `dev` and `test` do."""
    project = {"name": "cabinet", "dependencies": ["one"]}
    extras = {"test": ["cabinet[pi]", "two"], "pi": ["three"]}
    assert wanted({"project": {**project, "optional-dependencies": extras}}, ["test"]) == ["one", "three", "two"]
