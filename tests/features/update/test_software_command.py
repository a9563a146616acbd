"""`cabinet software`: a release signed, a card proved in another computer, a source tree that says what it is."""

import re
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from controller.features.update.installed import HOME, RELEASE_KEY
from controller.features.update.signing import MANIFEST, SIGNATURE, write_public_key
from controller.keys.identity import fingerprint, read_public_key
from tests.rigs.installed_tree import GAME, InstalledTree, put, read_signed
from tests.rigs.paths import ROOT


def software(*arguments: object, typed: str = "") -> Result:
    """Run `cabinet software`."""
    return CliRunner().invoke(main, ["software", *map(str, arguments)], input=typed)


def sign(tree: InstalledTree, *arguments: object, typed: str = "") -> Result:
    """Sign a staged tree, with what `place --list` says beside it."""
    placed = put(tree.root, "/tmp/placed", "\n".join(tree.placed))  # noqa: S108 - within the tree
    return software("sign", tree.root, "--placed", placed, *arguments, typed=typed)


@pytest.mark.requirement("S4")
def test_a_card_is_proved_by_another_computer(tmp_path: Path) -> None:
    """All files must belong to the owner of the tree; differences are named, and the exit code is 1."""
    tree = InstalledTree(tmp_path)
    good = software("verify", "--root", tmp_path)
    assert good.exit_code == 0, good.output
    assert good.output.splitlines()[-1].endswith("all as signed")
    assert f"release   1.2.3      key {fingerprint(tree.maker.public_key)}" in good.output
    put(tmp_path, GAME, "def play(): evil\n")
    bad = software("verify", "--root", tmp_path)
    assert bad.exit_code == 1
    assert bad.output.splitlines()[-2:] == [f"  {GAME} was changed", "NOT AUTHENTIC: 1 differences"]


def test_a_source_tree_says_plainly_what_it_is() -> None:
    """Neither proved nor sealed: nobody has signed it."""
    for command in ("verify", "seal-platform"):
        said = software(command)
        assert (said.exit_code, "runs from a source tree, which nobody has signed" in said.output) == (1, True)


@pytest.mark.parametrize("passphrase", ["", "horse"])
def test_a_release_is_signed_with_the_makers_key(tmp_path: Path, passphrase: str) -> None:
    """The key's public half comes along; a key with a passphrase asks for it, and a wrong one signs nothing."""
    tree, key = InstalledTree(tmp_path / "tree"), tmp_path / "maker.key"
    cipher = ("-aes-256-cbc", "-pass", f"pass:{passphrase}") if passphrase else ()
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", *cipher, "-out", key], check=True)
    if passphrase:
        refused = sign(tree, "--key", key, typed="donkey\n")
        assert (refused.exit_code, f"{key} cannot be used to sign" in refused.output) == (1, True)
    said = sign(tree, "--key", key, typed=f"{passphrase}\n")
    assert said.exit_code == 0, said.output
    assert "signed with the maker's key" in said.output
    public = subprocess.check_output(
        ["openssl", "pkey", "-in", key, "-pubout", "-passin", f"pass:{passphrase}"], text=True
    )
    home = tree.place(HOME)
    assert (home / RELEASE_KEY).read_text("ascii") == public
    assert read_signed(home, read_public_key(home / RELEASE_KEY)).version == "1.2.3"


def test_without_a_key_a_release_is_signed_once_for_this_machine(tmp_path: Path) -> None:
    """Each staging has a key of its own, which nobody has afterwards."""
    tree = InstalledTree(tmp_path)
    keys = []
    for _ in range(2):
        said = sign(tree, "--throwaway-key")
        assert (said.exit_code, "a key that was thrown away" in said.output) == (0, True)
        keys.append(read_public_key(tree.place(f"{HOME}/{RELEASE_KEY}")))
    assert keys[0] != keys[1]


@pytest.mark.parametrize("arguments", [(), ("--throwaway-key", "--key", "pyproject.toml")])
def test_whose_key_it_is_must_be_said(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """Neither key, or both, is a mistake."""
    said = sign(InstalledTree(tmp_path), *arguments)
    assert (said.exit_code, "give either --key or --throwaway-key" in said.output) == (2, True)


def test_what_cannot_be_vouched_for_is_not_signed(tmp_path: Path) -> None:
    """A file that everybody may write ends the staging, by its name."""
    tree = InstalledTree(tmp_path)
    tree.place(GAME).chmod(0o666)
    said = sign(tree, "--throwaway-key")
    assert (said.exit_code, f"{GAME} may be written by everybody" in said.output) == (1, True)


def test_a_link_to_what_is_not_signed_is_refused(tmp_path: Path) -> None:
    """Behind it anything could be put; the environment's interpreter alone is a link away, to the platform's."""
    tree = InstalledTree(tmp_path)
    for name, target in (("bin/python", "/usr/bin/python3"), ("lib64", "lib"), ("lib/games", "python3.13")):
        place = tree.place(f"{HOME}/venv/{name}")
        place.parent.mkdir(exist_ok=True)
        place.symlink_to(target)
    assert sign(tree, "--throwaway-key").exit_code == 0
    tree.place(f"{HOME}/baked").symlink_to("/home/pi/baked")
    said = sign(tree, "--throwaway-key")
    assert (said.exit_code, f"{HOME}/baked leads to /home/pi/baked" in said.output) == (1, True)


BLOCK = re.compile(r"```sh\n(openssl.*?)```", re.DOTALL)


def proved_by_hand(tree: InstalledTree, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the commands of docs/security.md, word for word, where the tree is mounted."""
    found = BLOCK.search((ROOT / "docs/security.md").read_text("utf-8"))
    assert found is not None
    script = f"cd {tree.root}; trap 'rm -f listed' EXIT\n{found[1]}".replace("maker.pem", str(folder / "maker.pem"))
    write_public_key(folder / "maker.pem", tree.maker.public_key)
    return subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False)


@pytest.mark.requirement("S4")
def test_openssl_and_sha256sum_prove_the_release_alone(tmp_path: Path) -> None:
    """The commands of docs/security.md: what is signed, what was changed, what was added."""
    tree, folder = InstalledTree(tmp_path / "tree"), tmp_path
    own = {f"opt/cabinet/{name}" for name in (MANIFEST, SIGNATURE, RELEASE_KEY)}
    good = proved_by_hand(tree, folder)
    assert good.stderr == ""
    verified, *added = good.stdout.splitlines()
    assert (verified, set(added)) == ("Signature Verified Successfully", own)
    put(tree.root, GAME, "def play(): evil\n")
    put(tree.root, f"{HOME}/evil.so")
    bad = proved_by_hand(tree, folder)
    assert f"{GAME.lstrip('/')}: FAILED" in bad.stdout
    assert "opt/cabinet/evil.so" in bad.stdout.splitlines()
    place = tree.place(f"{HOME}/{MANIFEST}")
    place.write_bytes(place.read_bytes().replace(b"1.2.3", b"1.2.4"))
    assert "Signature Verification Failure" in proved_by_hand(tree, folder).stdout
