"""`cabinet software`: verify, sign and bundle the software, and measure its platform."""

import platform
import sys
from pathlib import Path
from typing import TextIO

import click

from common.error_words import error_words
from controller.features.update.bundle import SUFFIX, BundleError, python_here, write_bundle
from controller.features.update.installed import (
    HOME,
    PARTS,
    PLATFORM,
    RELEASE_KEY,
    Installation,
    Part,
    release_of,
    this_installation,
)
from controller.features.update.manifest import ManifestError
from controller.features.update.platform import library_folders, platform_of
from controller.features.update.signing import (
    SigningKey,
    SigningKeyError,
    write_public_key,
    write_signed,
)
from controller.features.update.trees import version_of
from controller.files.bounded import ForeignFileError, read_bounded
from controller.journal.schema import NAMES
from controller.keys.identity import MOST_KEY_BYTES, NotAuthenticError, fingerprint, read_public_key

SOURCE_TREE = f"this program runs from a source tree, which nobody has signed; only what is below {HOME} is"
_ROOT = click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A mounted cabinet's tree in place of this machine.",
)


@click.group()
def software() -> None:
    """Verify the software of a cabinet against its signatures; sign a release."""


@software.command()
@_ROOT
def verify(root: Path | None) -> None:
    """Verify every file of this cabinet's software against its manifests, read from the medium.

    With --root another computer verifies a card that is mounted there. Exits with 0 if all files are as signed, and
    with 1 if not, or if this is not an installed cabinet.
    """
    installation = this_installation() if root is None else Installation(root.resolve(), root.stat().st_uid)
    if installation is None:
        raise click.ClickException(SOURCE_TREE)
    verdict = installation.prove(fresh=True)
    for part in PARTS:
        authority = verdict.authorities.get(part.kind)
        if authority is not None:
            key = f"key {fingerprint(authority.public_key)}"
            click.echo(f"{part.kind:<9} {authority.version:<10} {key}   manifest {authority.manifest_sha256}")
    for difference in verdict.differences:
        click.echo(f"  {difference}")
    click.echo(
        f"{verdict.files} files, {verdict.size / 1e6:.0f} MB: all as signed"
        if verdict.is_authentic
        else f"NOT AUTHENTIC: {len(verdict.differences)} differences"
    )
    sys.exit(0 if verdict.is_authentic else 1)


@software.command()
@click.argument("tree", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--key", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="The maker's private key (PEM)."
)
@click.option("--throwaway-key", is_flag=True, help="Sign with a key that is made now and forgotten at once.")
@click.option("--placed", type=click.File(), required=True, help="What `systemd/place --list` says; - for a pipe.")
def sign(tree: Path, key: Path | None, *, throwaway_key: bool, placed: TextIO) -> None:
    """Sign the release staged below TREE: write its manifest, signature and public key.

    Make a key with `openssl genpkey -algorithm ed25519 -aes-256-cbc -out maker.key`; keep it off every cabinet.
    """
    if (key is None) is not throwaway_key:
        raise click.UsageError("give either --key or --throwaway-key")
    home = tree / HOME.lstrip("/")
    try:
        maker = SigningKey.throwaway() if key is None else read_makers_key(key)
        version = version_of(home)
        manifest = release_of(tree, [line.strip() for line in placed if line.strip()], version)
        write_signed(home, manifest, maker)
        write_public_key(home / RELEASE_KEY, maker.public_key)
    except (ManifestError, SigningKeyError, ForeignFileError, OSError) as error:
        raise click.ClickException(error_words(error)) from error
    whose = "a key that was thrown away" if key is None else "the maker's key"
    click.echo(f"release {version}: {len(manifest.entries)} files signed with {whose}, {fingerprint(maker.public_key)}")


@software.command("bundle")
@click.argument("home", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--key",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    required=True,
    help="The maker's private key (PEM): the one that HOME is signed with.",
)
def bundle_up(home: Path, folder: Path, key: Path) -> None:
    """Bundle the staged program at HOME, signed, into FOLDER, for updates from a stick.

    Run it with the interpreter that HOME is staged for: the bundle fits machines of its architecture and version. The
    last line printed is the bundle's path.
    """
    try:
        maker = read_makers_key(key)
        if read_public_key(home / RELEASE_KEY) != maker.public_key:
            raise click.ClickException(f"{home} is not signed with {key}: stage it with SIGNING_KEY={key}")
        architecture, python = platform.machine(), python_here()
        version = version_of(home)
        path = folder / f"cabinet-{version}-{architecture}{SUFFIX}"
        head = write_bundle(home, path, maker, python=python, architecture=architecture, migrations=NAMES)
    except (BundleError, NotAuthenticError, SigningKeyError, ForeignFileError, OSError) as error:
        raise click.ClickException(error_words(error)) from error
    click.echo(f"{version} for {architecture}, Python {python}: {len(head.tree.entries)} names")
    click.echo(path)


@software.command("seal-platform")
def seal_platform() -> None:
    """Measure the interpreter and its libraries, if they differ from the last measurement. As root.

    The measurement is signed with a key that is thrown away; a cabinet locks until its technician has accepted the new
    one. `system/setup` runs this; run it by hand after an upgrade of the system's own packages.
    """
    installation = this_installation()
    if installation is None:
        raise click.ClickException(SOURCE_TREE)
    part = next(part for part in PARTS if part.kind == PLATFORM)
    if installation.is_as_signed(part):
        click.echo("the platform is as it was measured")
        return
    try:
        key, count = sealed(part, sys.executable)
    except (ManifestError, OSError) as error:
        raise click.ClickException(f"the platform cannot be measured: {error_words(error)}") from error
    click.echo(f"the platform is measured: {count} files, signed with a key that was thrown away, {fingerprint(key)}")


def sealed(part: Part, executable: str) -> tuple[bytes, int]:
    """Measure and sign the platform; return the public key and the number of names listed."""
    manifest = platform_of(executable, library_folders())
    key = SigningKey.throwaway()
    folder = Path(part.folder)
    folder.mkdir(mode=0o755, exist_ok=True)
    write_signed(folder, manifest, key)
    write_public_key(Path(part.key), key.public_key)
    return key.public_key, len(manifest.entries)


def read_makers_key(file: Path) -> SigningKey:
    """Return the maker's key; its passphrase is prompted for."""
    encrypted = "ENCRYPTED" in read_bounded(file, MOST_KEY_BYTES, follow=True).decode("ascii", "replace")
    return SigningKey.read(file, click.prompt(f"Passphrase of {file}", hide_input=True) if encrypted else "")
