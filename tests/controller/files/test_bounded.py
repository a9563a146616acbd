"""Files that others have put on a stick or another medium: too large, growing, links, FIFOs, devices, too many."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.files.bounded import ForeignFileError, chunks, digest_of, names_in, opened, read_bounded
from tests.rigs.unfit_files import UNFIT, sparse


@pytest.mark.parametrize("make", UNFIT.values(), ids=UNFIT.keys())
def test_what_is_no_plain_file_is_refused_at_once(tmp_path: Path, make: Callable[[Path], None]) -> None:
    """None of them is read, or waited for."""
    path = tmp_path / "it"
    make(path)
    for read in (lambda: read_bounded(path, 100), lambda: digest_of(path, 100)):
        with pytest.raises(ForeignFileError):
            read()


def test_a_device_is_refused() -> None:
    """/dev/zero has no end, and a terminal would wait for somebody to type."""
    for device in (Path("/dev/zero"), Path("/dev/tty")):
        if device.exists():
            with pytest.raises((ForeignFileError, OSError)), opened(device):
                pytest.fail(f"{device} was opened")


def test_no_more_is_read_than_is_expected(tmp_path: Path) -> None:
    """A file of the very size is read, one byte more is too much, six gigabytes are too."""
    path = tmp_path / "it"
    path.write_bytes(b"x" * 100)
    assert read_bounded(path, 100) == b"x" * 100
    with pytest.raises(ForeignFileError, match="more than 99 bytes"):
        read_bounded(path, 99)
    sparse(path)
    with pytest.raises(ForeignFileError, match="more than 1000 bytes"):
        read_bounded(path, 1_000)
    with pytest.raises(ForeignFileError, match="is not 1000 bytes long"):
        digest_of(path, 1_000)


@pytest.mark.parametrize("size", [0, 1, 1 << 20, (1 << 20) + 1, 3 << 20])
def test_a_digest_is_that_of_the_whole_file(tmp_path: Path, size: int) -> None:
    """Whatever its size, at the edges of what is read at once too."""
    path = tmp_path / "it"
    content = os.urandom(size)
    path.write_bytes(content)
    assert digest_of(path, size) == hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize(("after", "words"), [(2 << 20, "has grown"), (100, "was cut off")])
def test_a_file_that_changes_its_size_while_it_is_read_is_refused(tmp_path: Path, after: int, words: str) -> None:
    """It was as long as it had to be when it was opened, and is not any more."""
    path = tmp_path / "it"
    sparse(path, (1 << 20) + 200)
    reading = chunks(path, (1 << 20) + 200)
    assert len(next(reading)) == 1 << 20
    os.truncate(path, after + (1 << 20))
    with pytest.raises(ForeignFileError, match=words):
        list(reading)


def test_a_folder_is_looked_through_to_a_bound(tmp_path: Path) -> None:
    """However many names it has."""
    for number in range(300):
        (tmp_path / f"{number:03}").touch()
    assert len(names_in(tmp_path, 100)) == 100
    assert names_in(tmp_path) == [f"{number:03}" for number in range(300)]
