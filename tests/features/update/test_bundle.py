"""A bundle is the maker's, whole and unchanged, or nothing of it reaches the disk."""

import os
import platform
import shutil
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from controller.cli import main
from controller.features.update.bundle import (
    LENGTH_BYTES,
    MAGIC,
    BundleError,
    Head,
    bundles,
    opened_bundle,
    python_here,
    write_bundle,
)
from controller.features.update.manifest import Entry, Kind, Manifest
from controller.features.update.signing import SigningKey, write_public_key
from controller.journal.schema import NAMES
from controller.keys.identity import SIGNATURE_BYTES
from tests.rigs.program_trees import KEY, NEW, bundled, forged, held, tree_of

pytestmark = pytest.mark.requirement("S1")


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A bundle of the maker's."""
    return bundled(NEW, tmp_path)


def unpacked(bundle: Path, folder: Path, key: SigningKey = KEY) -> Head:
    """Prove a bundle and unpack it into `folder`."""
    with opened_bundle(bundle, key.public_key) as opened:
        opened.prove()
        opened.unpack(folder)
        return opened.head


def refused(bundle: Path, folder: Path, key: SigningKey = KEY) -> str:
    """Return why a bundle is refused, first when it is proved and then when it is unpacked."""
    said = []
    for act in ("prove", "unpack"):
        with pytest.raises(BundleError) as caught, opened_bundle(bundle, key.public_key) as opened:
            opened.prove() if act == "prove" else opened.unpack(folder)
        said.append(str(caught.value))
        shutil.rmtree(folder, ignore_errors=True)
    assert said[0] == said[1]
    return said[0]


def head_at(bundle: Path) -> tuple[int, int]:
    """Return where the head begins and where it ends."""
    begin = len(MAGIC) + LENGTH_BYTES
    return begin, begin + int.from_bytes(bundle.read_bytes()[len(MAGIC) : begin], "big")


def changed(bundle: Path, at: int) -> None:
    """Change one bit of one byte."""
    whole = bytearray(bundle.read_bytes())
    whole[at] ^= 1
    bundle.write_bytes(whole)


def test_what_is_unpacked_is_the_very_tree(tmp_path: Path, bundle: Path) -> None:
    """Names, contents, permissions, links and empty folders; the head says which version it is."""
    head = unpacked(bundle, tmp_path / "out")
    assert held(tmp_path / "out") == held(tree_of(NEW, tmp_path / "again"))
    assert (head.version, head.unfit()) == (NEW, "")
    assert head.needed_bytes > sum(path.lstat().st_size for path in (tmp_path / "out").rglob("*"))


def test_the_same_tree_makes_the_same_bundle(tmp_path: Path) -> None:
    """Nothing of the machine that made it is in it: no moment, no owner."""
    assert bundled(NEW, tmp_path / "a").read_bytes() == bundled(NEW, tmp_path / "b").read_bytes()


def test_no_byte_can_be_changed(tmp_path: Path, bundle: Path) -> None:
    """Of whatever part: magic, length, head, signature, any content; each is found, and nothing is left of it."""
    good = bundle.read_bytes()
    begin, end = head_at(bundle)
    places = {
        *range(begin),
        *range(begin, end, 37),
        *range(end, end + SIGNATURE_BYTES),
        *range(end + SIGNATURE_BYTES, len(good)),
    }
    for at in sorted(places):
        changed(bundle, at)
        assert refused(bundle, tmp_path / "out")
        bundle.write_bytes(good)
    assert unpacked(bundle, tmp_path / "out").version == NEW


def test_no_part_can_be_cut_off_or_added(tmp_path: Path, bundle: Path) -> None:
    """A stick that was pulled out too early, a file with something behind it."""
    good = bundle.read_bytes()
    _begin, end = head_at(bundle)
    for length in (0, 5, len(MAGIC) + 3, end - 1, end + 10, len(good) - 1):
        bundle.write_bytes(good[:length])
        assert refused(bundle, tmp_path / "out")
    bundle.write_bytes(good + b"x")
    assert refused(bundle, tmp_path / "out") == "something was added at its end"


def test_only_the_makers_key_counts(tmp_path: Path, bundle: Path) -> None:
    """Another key signs nothing that this machine runs."""
    other = SigningKey.throwaway()
    assert refused(bundle, tmp_path / "out", other).startswith("it is not signed with the key")
    forged(bundle, other, version="9.9")
    assert refused(bundle, tmp_path / "out").startswith("it is not signed with the key")


UNSOUND = {
    "a way out": Entry(path="/../etc/shadow", mode="0644"),
    "a way out by a folder": Entry(path="/venv/..", mode="0755", kind=Kind.FOLDER),
    "no way at all": Entry(path="version", mode="0644"),
    "the same twice": Entry(path="/version", mode="0644"),
    "within a link": Entry(path="/venv/lib64/x", mode="0644"),
    "within nothing": Entry(path="/nowhere/x", mode="0644"),
    "a link out of it": Entry(path="/way", kind=Kind.LINK, target="../../etc"),
    "a link to anywhere": Entry(path="/way", kind=Kind.LINK, target="/etc/shadow"),
    "a link that climbs": Entry(path="/way", kind=Kind.LINK, target="/usr/bin/../../etc"),
    "a link to nothing": Entry(path="/way", kind=Kind.LINK),
    "setuid": Entry(path="/su", mode="4755"),
    "writable for all": Entry(path="/open", mode="0666"),
    "no permissions": Entry(path="/none"),
    "less than nothing": Entry(path="/less", mode="0644", size=-1),
}


@pytest.mark.parametrize("entry", UNSOUND.values(), ids=UNSOUND)
def test_no_name_leads_out_of_the_tree(tmp_path: Path, bundle: Path, entry: Entry) -> None:
    """Even where the maker's key has signed it: traversal, links, permissions that no program has."""
    with opened_bundle(bundle, KEY.public_key) as opened:
        tree = opened.head.tree
    forged(bundle, tree=msgspec.structs.replace(tree, entries=(*tree.entries, entry)))
    assert refused(bundle, tmp_path / "out")


def test_devices_cannot_even_be_said(tmp_path: Path, bundle: Path) -> None:
    """A kind that is none ends the reading of the head; what is no file at all is not bundled."""
    begin, end = head_at(bundle)
    whole = bundle.read_bytes()
    text = whole[begin:end].replace(b'"kind":"link"', b'"kind":"pipe"')
    signed = MAGIC + len(text).to_bytes(LENGTH_BYTES, "big") + text + KEY.sign(MAGIC + text)
    bundle.write_bytes(signed + whole[end + SIGNATURE_BYTES :])
    assert refused(bundle, tmp_path / "out").startswith("its head cannot be read")
    tree = tree_of(NEW, tmp_path / "tree")
    os.mkfifo(tree / "pipe")
    with pytest.raises(BundleError, match="neither file nor folder nor link"):
        write_bundle(tree, tmp_path / "b.cabinet", KEY, python="3.11", architecture="x", migrations=())


def test_a_head_that_is_no_tree_holds_nothing(tmp_path: Path, bundle: Path) -> None:
    """A manifest of something else, signed with the same key, is no bundle's."""
    forged(bundle, tree=Manifest(kind="release", version="1", trees=("/opt/cabinet",)))
    assert refused(bundle, tmp_path / "out") == "it holds no tree"


def test_a_bundle_says_where_it_runs(bundle: Path) -> None:
    """Another architecture, another Python: reported before anything is offered."""
    for change, said in (({"python": "3.99"}, "it is for Python 3.99"), ({"architecture": "vax"}, "it is for vax")):
        forged(bundle, **change)
        with opened_bundle(bundle, KEY.public_key) as opened:
            assert opened.head.unfit().startswith(said)


def test_what_lies_on_a_stick_is_looked_at_without_harm(tmp_path: Path) -> None:
    """Folders and links that are called like bundles, a stick that is gone."""
    bundled(NEW, tmp_path / "stick")
    (tmp_path / "stick/folder.cabinet").mkdir()
    (tmp_path / "stick/other.txt").touch()
    (tmp_path / "stick/._cabinet-2.0.cabinet").touch()
    assert [path.name for path in bundles(tmp_path / "stick")] == [f"cabinet-{NEW}.cabinet"]
    assert bundles(tmp_path / "nowhere") == []
    os.mkfifo(tmp_path / "stick/pipe.cabinet")
    assert len(bundles(tmp_path / "stick")) == 1
    with pytest.raises(BundleError, match="it is no file"), opened_bundle(tmp_path / "stick/pipe.cabinet", b""):
        pass


def test_a_staged_release_is_bundled_by_the_key_that_has_signed_it(tmp_path: Path) -> None:
    """`cabinet software bundle`: named for version and architecture; another key than the release's makes nothing."""
    home = tree_of(NEW, tmp_path / "home")
    keys = {}
    for name in ("makers", "others"):
        keys[name] = SigningKey.throwaway()
        pem = keys[name].private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        (tmp_path / name).write_bytes(pem)
    write_public_key(home / "release.pem", keys["makers"].public_key)
    command = ["software", "bundle", str(home), str(tmp_path), "--key"]
    refused = CliRunner().invoke(main, [*command, str(tmp_path / "others")])
    assert (refused.exit_code, "stage it with SIGNING_KEY=" in refused.output) == (1, True)
    done = CliRunner().invoke(main, [*command, str(tmp_path / "makers")])
    path = tmp_path / f"cabinet-{NEW}-{platform.machine()}.cabinet"
    assert (done.exit_code, done.output.splitlines()[-1]) == (0, str(path))
    head = unpacked(path, tmp_path / "out", keys["makers"])
    assert (head.migrations, head.python) == (NAMES, python_here())
