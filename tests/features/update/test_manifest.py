import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.features.update.manifest import (
    Difference,
    Kind,
    Manifest,
    ManifestError,
    Shaped,
    Wrong,
    decoded,
    differences,
    encoded,
    measured,
)
from controller.features.update.signing import (
    LARGEST_MANIFEST_BYTES,
    MANIFEST,
    SIGNATURE,
    SigningKey,
    SigningKeyError,
    write_public_key,
    write_signed,
)
from controller.keys.identity import NotAuthenticError, read_public_key
from tests.rigs.installed_tree import put, read_signed
from tests.rigs.needing import skipped_where

GAME = "/opt/cabinet/venv/lib/game.py"
UNIT = "/usr/lib/systemd/system/cabinet.service"
DROPIN = "/etc/systemd/system/cabinet.service.d/50-restart.conf"
EMPTY = Manifest(
    kind="release",
    version="1.2.3",
    trees=("/opt/cabinet",),
    unlisted=(f"/opt/cabinet/{MANIFEST}", f"/opt/cabinet/{SIGNATURE}"),
    guarded=("/etc/systemd/system/cabinet*", "/etc/systemd/system/cabinet*.d/*"),
    absent=("/usr/lib/python313.zip",),
    shaped=(Shaped(path=DROPIN, lines=(r"\[Service\]", "RestartMode=direct")),),
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A machine's tree with a program, a unit, and a link."""
    old = os.umask(0o022)
    put(tmp_path, GAME, "def play(): ...\n")
    put(tmp_path, "/opt/cabinet/system/place", "#!/bin/sh\n", 0o755)
    (tmp_path / "opt/cabinet/venv/bin").mkdir()
    (tmp_path / "opt/cabinet/venv/bin/python").symlink_to("/usr/bin/python3")
    put(tmp_path, UNIT, "[Service]\n")
    (tmp_path / "etc/systemd/system/cabinet.service.d").mkdir(parents=True)
    os.umask(old)
    return tmp_path


def made(root: Path) -> Manifest:
    """Return the manifest of that tree now."""
    allowed = "/etc/systemd/system/cabinet.service.d"
    return measured(EMPTY, [UNIT, allowed], root=root)


def wrong(manifest: Manifest, root: Path) -> list[Difference]:
    """Return what is wrong with a tree that belongs to whoever runs the tests."""
    return differences(manifest, root=root, owner=os.getuid())


def test_what_was_measured_proves_itself(root: Path) -> None:
    """Nothing is wrong with a tree that is as it was, and its text is read back as the same manifest."""
    manifest = made(root)
    assert wrong(manifest, root) == []
    assert decoded(encoded(manifest)) == manifest
    assert {entry.path: entry.kind for entry in manifest.entries}["/opt/cabinet/venv/bin/python"] is Kind.LINK


def test_measuring_again_gives_the_same_text(root: Path) -> None:
    """The manifest of a tree depends on nothing but the tree."""
    assert encoded(made(root)) == encoded(made(root))


def flip(place: Path) -> None:
    """Change one bit of a file, and leave its size and times."""
    times = place.stat()
    content = bytearray(place.read_bytes())
    content[3] ^= 1
    place.write_bytes(content)
    os.utime(place, ns=(times.st_atime_ns, times.st_mtime_ns))


def relink(place: Path) -> None:
    """Have a link lead elsewhere."""
    place.unlink()
    place.symlink_to("/tmp/python")  # noqa: S108 - a name, nothing is written there


def as_link(place: Path) -> None:
    """Put a link to the very same content in place of a file or folder."""
    elsewhere = place.parents[3] / "elsewhere"
    place.rename(elsewhere)
    place.symlink_to(elsewhere)


@pytest.mark.requirement("S2")
@pytest.mark.parametrize(
    ("path", "act", "expected"),
    [
        (GAME, flip, Wrong.CHANGED),
        (GAME, lambda place: place.write_text(""), Wrong.CHANGED),
        (GAME, lambda place: place.unlink(), Wrong.MISSING),
        (GAME, lambda place: place.chmod(0o755), Wrong.ANOTHER_MODE),
        (GAME, as_link, Wrong.ANOTHER_KIND),
        ("/opt/cabinet/venv/lib", as_link, Wrong.ANOTHER_KIND),
        ("/opt/cabinet/venv/bin/python", relink, Wrong.CHANGED),
        (UNIT, flip, Wrong.CHANGED),
        (UNIT, lambda place: place.unlink(), Wrong.MISSING),
    ],
)
def test_whatever_is_done_to_a_listed_name_is_noticed(
    root: Path, path: str, act: Callable[[Path], object], expected: Wrong
) -> None:
    """Report one bit, the size, the permissions, a link's target, a link in place of a file or folder."""
    manifest = made(root)
    act(root / path.lstrip("/"))
    assert Difference(path, expected) in wrong(manifest, root)


@pytest.mark.requirement("S3")
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/opt/cabinet/venv/lib/evil.pth", "/opt/cabinet/venv/lib/evil.pth"),
        ("/opt/cabinet/venv/lib/__pycache__/game.cpython-313.pyc", "/opt/cabinet/venv/lib/__pycache__"),
        ("/opt/cabinet/other/deep/er.so", "/opt/cabinet/other"),
        ("/etc/systemd/system/cabinet.service", "/etc/systemd/system/cabinet.service"),
        ("/etc/systemd/system/cabinet.service.d/evil.conf", "/etc/systemd/system/cabinet.service.d/evil.conf"),
        ("/usr/lib/python313.zip", "/usr/lib/python313.zip"),
    ],
)
def test_what_nobody_signed_is_noticed_wherever_it_could_run(root: Path, path: str, expected: str) -> None:
    """A module, a path file, a compiled file, a library, a unit, a drop-in, an archive on Python's path."""
    manifest = made(root)
    put(root, path, "import evil\n")
    assert wrong(manifest, root) == [Difference(expected, Wrong.ADDED)]


def test_units_and_drop_ins_of_others_are_nobodys_business(root: Path) -> None:
    """What cannot touch the cabinet's units is left to whoever put it there."""
    manifest = made(root)
    put(root, "/etc/systemd/system/cups.service.d/site.conf")
    put(root, "/opt/other/program.py")
    assert wrong(manifest, root) == []


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("[Service]\nRestartMode=direct\n", True),
        ("", True),
        ("[Service]\nExecStart=/bin/sh\n", False),
        ("[Service]\nRestartMode=direct # \n", False),
    ],
)
def test_what_a_machine_writes_for_itself_must_fit_its_shape(root: Path, text: str, fits: bool) -> None:  # noqa: FBT001
    """A drop-in that set-up writes may be there or not; a line that set-up never writes is tampering."""
    manifest = made(root)
    put(root, DROPIN, text)
    assert wrong(manifest, root) == ([] if fits else [Difference(DROPIN, Wrong.CHANGED)])


def test_a_name_of_another_owner_is_noticed(root: Path) -> None:
    """What somebody else owns he can change at any time."""
    found = differences(made(root), root=root, owner=os.getuid() + 1)
    assert {difference.wrong for difference in found} == {Wrong.ANOTHER_OWNER}


@pytest.mark.parametrize("fresh", [False, True])
def test_every_byte_that_is_read_is_reported(root: Path, fresh: bool) -> None:  # noqa: FBT001
    """A proof says how far it has come, whether it reads from the medium or from memory, and can be broken off."""
    manifest = made(root)
    expected: list[int] = []
    assert differences(manifest, root=root, owner=os.getuid(), fresh=fresh, progress=expected.append) == []
    assert sum(expected) == manifest.size


@pytest.mark.parametrize("name", ['quo"te.py', "back\\slash.py", "new\nline.py", "bell\x07.py"])
def test_a_name_that_not_every_tool_reads_back_is_refused(root: Path, name: str) -> None:
    """One line of the manifest is one file, for sed and sha256sum as for us."""
    put(root, f"/opt/cabinet/{name}")
    with pytest.raises(ManifestError, match="rename it"):
        made(root)


def test_what_everybody_may_write_is_refused(root: Path) -> None:
    """Nobody can vouch for a file that any program may change."""
    (root / GAME.lstrip("/")).chmod(0o666)
    with pytest.raises(ManifestError, match="may be written by everybody"):
        made(root)


def test_what_is_no_file_is_refused(root: Path) -> None:
    """A pipe or a socket in the program's folder has no content to vouch for."""
    os.mkfifo(root / "opt/cabinet/pipe")
    with pytest.raises(ManifestError, match="cannot be vouched for"):
        made(root)


def test_a_folder_that_was_not_there_must_stay_away(root: Path) -> None:
    """A place on Python's path that does not exist is where a module would be slipped in."""
    away = "/usr/local/lib/python3.13/dist-packages"
    manifest = measured(Manifest(kind="platform", version="", trees=(away,)), root=root)
    assert manifest.absent == (away,)
    put(root, f"{away}/sitecustomize.py")
    assert wrong(manifest, root) == [Difference(away, Wrong.ADDED)]


@skipped_where(os.getuid() == 0, "root may look everywhere", "run it as another user")
@pytest.mark.parametrize("hidden", [True, False])
def test_what_only_root_may_see_is_left_to_root_where_the_manifest_says_so(root: Path, hidden: bool) -> None:  # noqa: FBT001
    """A rule in a closed folder is no difference for the supervisor; any other file that cannot be read is one."""
    rule = "/usr/share/polkit-1/rules.d/50-cabinet.rules"
    folder = put(root, rule).parent
    manifest = measured(replace(EMPTY, hidden=(rule,) if hidden else ()), [rule], root=root)
    folder.chmod(0)
    found = wrong(manifest, root)
    folder.chmod(0o755)
    assert found == ([] if hidden else [Difference(rule, Wrong.UNREADABLE)])


@pytest.mark.parametrize("act", [flip, lambda place: place.unlink()])
def test_what_may_be_hidden_and_is_not_is_proved_like_any_other(root: Path, act: Callable[[Path], object]) -> None:
    """A hidden file that can be seen must be as it was signed."""
    manifest = measured(replace(EMPTY, hidden=(UNIT,)), [UNIT], root=root)
    act(root / UNIT.lstrip("/"))
    assert [difference.path for difference in wrong(manifest, root)] == [UNIT]


def signed(root: Path) -> tuple[Path, bytes]:
    """Sign the tree with a key that is forgotten; return the manifest's folder and the public key."""
    key = SigningKey.throwaway()
    write_signed(root / "opt/cabinet", made(root), key)
    return root / "opt/cabinet", key.public_key


def test_a_signed_manifest_is_read_back_with_its_key_and_with_no_other(root: Path) -> None:
    """The manifest itself lies in the tree that it lists and is no difference; another key's word is none."""
    folder, public_key = signed(root)
    assert wrong(read_signed(folder, public_key), root) == []
    with pytest.raises(NotAuthenticError, match="is not signed with the key"):
        read_signed(folder, SigningKey.throwaway().public_key)


def test_a_manifest_that_nobody_would_read_is_not_written(root: Path) -> None:
    """An interpreter with tens of thousands of packages' files was sealed, and its own proof then called it forged."""
    manifest = made(root)
    entries = manifest.entries * (LARGEST_MANIFEST_BYTES // 100)
    with pytest.raises(ManifestError, match="are read at the most"):
        write_signed(root / "opt/cabinet", replace(manifest, entries=entries), SigningKey.throwaway())
    assert not (root / "opt/cabinet" / MANIFEST).exists()


@pytest.mark.parametrize("name", [MANIFEST, SIGNATURE])
def test_a_manifest_that_was_touched_is_none(root: Path, name: str) -> None:
    """One bit in the manifest or its signature, or one of the two gone: nothing of it is believed."""
    folder, public_key = signed(root)
    flip(folder / name)
    with pytest.raises(NotAuthenticError, match="is not signed with the key"):
        read_signed(folder, public_key)
    (folder / name).unlink()
    with pytest.raises(NotAuthenticError, match="cannot be read"):
        read_signed(folder, public_key)


@pytest.mark.parametrize(
    "text", [b"[]", json.dumps({"format": "cabinet software 99", "kind": "release", "version": "1"}).encode()]
)
def test_a_signed_text_of_another_kind_is_refused(root: Path, text: bytes) -> None:
    """What a key has signed is still no manifest unless it is one of this format."""
    key = SigningKey.throwaway()
    (root / MANIFEST).write_bytes(text)
    (root / SIGNATURE).write_bytes(key.sign(text))
    with pytest.raises(ManifestError, match="manifest"):
        read_signed(root, key.public_key)


def test_a_public_key_is_kept_as_openssl_writes_it(tmp_path: Path) -> None:
    """A key file that is missing or holds none is named."""
    key = SigningKey.throwaway()
    write_public_key(tmp_path / "release.pem", key.public_key)
    assert read_public_key(tmp_path / "release.pem") == key.public_key
    (tmp_path / "none.pem").write_text("nothing", encoding="ascii")
    with pytest.raises(NotAuthenticError, match=r"none\.pem holds no public Ed25519 key"):
        read_public_key(tmp_path / "none.pem")
    with pytest.raises(NotAuthenticError, match=r"away\.pem cannot be read"):
        read_public_key(tmp_path / "away.pem")


@pytest.mark.parametrize(
    ("cipher", "passphrase"),
    [((), ""), (("-aes-256-cbc", "-pass", "pass:horse"), "horse")],
    ids=["plain", "passphrase"],
)
def test_the_makers_key_is_one_of_openssls(tmp_path: Path, cipher: tuple[str, ...], passphrase: str) -> None:
    """A key made by openssl signs, with its passphrase where it has one, and says so where it is wrong."""
    file = tmp_path / "maker.key"
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", *cipher, "-out", file], check=True)
    key = SigningKey.read(file, passphrase)
    public = subprocess.check_output(
        ["openssl", "pkey", "-in", file, "-pubout", *(("-passin", "pass:horse") if cipher else ())], text=True
    )
    (tmp_path / "release.pem").write_text(public, encoding="ascii")
    assert read_public_key(tmp_path / "release.pem") == key.public_key
    if passphrase:
        with pytest.raises(SigningKeyError, match=r"maker\.key cannot be used to sign"):
            SigningKey.read(file, "donkey")


def test_a_key_of_another_kind_cannot_sign(tmp_path: Path) -> None:
    """An X25519 key is for secrets, not for signatures."""
    file = tmp_path / "maker.key"
    subprocess.run(["openssl", "genpkey", "-algorithm", "x25519", "-out", file], check=True)
    with pytest.raises(SigningKeyError, match="holds no Ed25519 key"):
        SigningKey.read(file)
