import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.features.update.installed import HOME, PLATFORM, RELEASE, Installation, this_installation
from controller.features.update.manifest import Wrong
from controller.features.update.signing import SigningKey, write_public_key
from tests.rigs.installed_tree import GAME, INTERPRETER, LIBRARY, SYSTEMD, InstalledTree, part_of, put

MANIFESTS = {kind: f"{part_of(kind).folder}/manifest.json" for kind in (RELEASE, PLATFORM)}


def flip(place: Path) -> None:
    """Change one bit of a file."""
    content = bytearray(place.read_bytes())
    content[0] ^= 1
    place.write_bytes(content)


def found(installation: Installation) -> list[tuple[str, Wrong]]:
    """Return what a proof finds."""
    return [tuple(difference) for difference in installation.prove().differences]


def test_an_installed_cabinet_proves_itself_and_says_who_vouches(tmp_path: Path) -> None:
    """Release and platform are authentic, each by its own key."""
    tree = InstalledTree(tmp_path)
    verdict = tree.installation.prove()
    assert verdict.is_authentic
    assert verdict.authorities[RELEASE].public_key == tree.maker.public_key
    assert verdict.authorities[RELEASE].version == "1.2.3"
    assert verdict.authorities[PLATFORM].public_key != tree.maker.public_key
    digest = subprocess.check_output(["sha256sum", tree.place(MANIFESTS[RELEASE])], text=True).split()[0]
    assert verdict.authorities[RELEASE].manifest_sha256 == digest
    assert (verdict.files > 10, verdict.size > 100) == (True, True)


@pytest.mark.requirement("S1")
@pytest.mark.parametrize(
    ("path", "act", "wrong"),
    [
        (GAME, flip, Wrong.CHANGED),
        ("/usr/lib/systemd/system/cabinet.service", flip, Wrong.CHANGED),
        ("/usr/lib/udev/rules.d/70-cabinet.rules", lambda place: place.unlink(), Wrong.MISSING),
        ("/usr/bin/cabinet", lambda place: place.unlink(), Wrong.MISSING),
        (INTERPRETER, flip, Wrong.CHANGED),
        (f"{LIBRARY}/random.py", flip, Wrong.CHANGED),
    ],
)
def test_whatever_can_run_is_vouched_for(
    tmp_path: Path, path: str, act: Callable[[Path], object], wrong: Wrong
) -> None:
    """A game, a unit, a rule, the command, the interpreter, its library."""
    tree = InstalledTree(tmp_path)
    act(tree.place(path))
    assert found(tree.installation) == [(path, wrong)]


@pytest.mark.requirement("S3")
@pytest.mark.parametrize(
    "path",
    [
        f"{HOME}/venv/lib/python3.13/site-packages/evil.pth",
        f"{HOME}/venv/lib/python3.13/site-packages/games/random.so",
        f"{LIBRARY}/sitecustomize.py",
        "/etc/systemd/system/cabinet.service",
        "/etc/systemd/system/cabinet.service.d/99-evil.conf",
        "/etc/systemd/system/service.d/evil.conf",
        "/run/systemd/system/cabinet-display.service.d/evil.conf",
        "/usr/lib/systemd/system/cabinet.service.d/evil.conf",
        "/etc/tmpfiles.d/cabinet.conf",
        "/run/udev/rules.d/70-cabinet.rules",
        "/usr/local/lib/sysctl.d/50-cabinet.conf",
        "/usr/local/bin/cabinet",
        "/usr/local/sbin/cabinet",
    ],
)
def test_what_nobody_signed_must_not_be_where_it_could_run(tmp_path: Path, path: str) -> None:
    """Modules, path files, units, drop-ins, and files that would be read in place of ours."""
    tree = InstalledTree(tmp_path)
    put(tree.root, path, "evil\n")
    assert (path, Wrong.ADDED) in found(tree.installation)


def test_a_name_that_is_no_text_is_reported_as_one(tmp_path: Path) -> None:
    """A file whose name is no UTF-8, or has a line's end in it, can be recorded all the same."""
    tree = InstalledTree(tmp_path)
    put(tree.root, f"{HOME}/evil\udcff\n.pth")
    ((path, wrong),) = found(tree.installation)
    assert (path, wrong) == (f"{HOME}/evil\\xff\\n.pth", Wrong.ADDED)
    verdict = tree.installation.prove(used=["/evil\udcfe.so"])
    assert verdict.differences[-1] == ("/evil\\xfe.so", Wrong.NOT_LISTED)


@pytest.mark.parametrize("kind", [RELEASE, PLATFORM])
@pytest.mark.parametrize("what", ["manifest.json", "manifest.sig", "key", "another key", "everything"])
def test_an_installed_cabinet_without_its_manifest_is_not_authentic(tmp_path: Path, kind: str, what: str) -> None:
    """Manifest, signature or key missing, or a key that is not the signer's: tampering, and never merely unsigned."""
    tree, part = InstalledTree(tmp_path), part_of(kind)
    if what in ("manifest.json", "manifest.sig"):
        tree.place(f"{part.folder}/{what}").unlink()
    elif what == "key":
        tree.place(part.key).unlink()
    elif what == "another key":
        write_public_key(tree.place(part.key), SigningKey.throwaway().public_key)
    else:
        for path in (f"{part.folder}/manifest.json", f"{part.folder}/manifest.sig", part.key):
            tree.place(path).unlink()
    verdict = tree.installation.prove()
    assert [tuple(difference) for difference in verdict.differences] == [(MANIFESTS[kind], Wrong.NOT_SIGNED)]
    assert kind not in verdict.authorities


def test_a_manifest_of_another_part_vouches_for_nothing(tmp_path: Path) -> None:
    """The platform's manifest, signed by whom it may, in the release's place would leave the program unproved."""
    tree, release, platform = InstalledTree(tmp_path), part_of(RELEASE), part_of(PLATFORM)
    for name in ("manifest.json", "manifest.sig"):
        tree.place(f"{release.folder}/{name}").write_bytes(tree.place(f"{platform.folder}/{name}").read_bytes())
    tree.place(release.key).write_bytes(tree.place(platform.key).read_bytes())
    assert found(tree.installation) == [(MANIFESTS[RELEASE], Wrong.NOT_SIGNED)]


@pytest.mark.parametrize(
    "configuration",
    [
        "",
        "[cabinet]\njournal = '/data/b.sqlite'\nsecond_copy = '/copy/c'\n",
        "[network]\ninterface = 'eth0'\n",
        "[network]\ninterface = 'eth0'\n[ticket_printer]\nlink = 'network'\nport = '192.168.1.50:9100'\n",
        "[ticket_printer]\nlink = 'network'\nport = '[fd00::50]:9100'\n",
    ],
)
def test_what_set_up_writes_for_this_machine_fits(tmp_path: Path, configuration: str) -> None:
    """The drop-in that opens the unit for what cabinet.toml names is no tampering, whatever it names."""
    tree = InstalledTree(tmp_path)
    file = put(tree.root, "/etc/cabinet/cabinet.toml", configuration)
    text = subprocess.check_output([sys.executable, "-I", SYSTEMD / "unit_options.py", file], text=True)
    put(tree.root, "/etc/systemd/system/cabinet.service.d/50-configuration.conf", text)
    for unit in ("cabinet", "cabinet-display"):
        put(tree.root, f"/etc/systemd/system/{unit}.service.d/50-restart.conf", "[Service]\nRestartMode=direct\n")
    assert found(tree.installation) == []


@pytest.mark.parametrize(
    "line",
    [
        "ExecStartPre=/bin/evil",
        "Environment=PYTHONPATH=/tmp",
        "[Install]",
        "User=root",
        "IPAddressAllow=any",
        "IPAddressAllow=0.0.0.0/0",
        "ReadWritePaths=-/x\0ExecStartPre=/bin/evil",  # systemd ends a line there too (systemd 252: verify says so)
        "ReadWritePaths=-/x\rExecStartPre=/bin/evil",
        "ReadWritePaths=-/x\u2028ExecStartPre=/bin/evil",
    ],
)
def test_a_line_that_set_up_never_writes_is_tampering(tmp_path: Path, line: str) -> None:
    """Nothing runs by way of the files that each machine writes for itself."""
    tree, path = InstalledTree(tmp_path), "/etc/systemd/system/cabinet.service.d/50-configuration.conf"
    put(tree.root, path, f"[Service]\n{line}\n")
    assert found(tree.installation) == [(path, Wrong.CHANGED)]


def test_a_source_tree_is_no_installation() -> None:
    """Tests and demos run from a tree that nobody has signed."""
    assert this_installation() is None
