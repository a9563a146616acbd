"""Where a cabinet's software is installed, and its verification.

Two manifests sign it. The *release* is the content of a cabinet's package: everything below /opt/cabinet and the files
placed into the system; its maker signs it. The *platform* is the machine's own interpreter with its libraries. It
differs from machine to machine, so root measures it at the installation and signs it with a key that is then thrown
away.
"""

import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from controller.features.update.manifest import (
    Difference,
    Kind,
    Manifest,
    ManifestError,
    Progress,
    Shaped,
    Wrong,
    decoded,
    differences,
    measured,
    speakable,
)
from controller.features.update.signing import MANIFEST, SIGNATURE, signed_text
from controller.keys.identity import NotAuthenticError, read_public_key

RELEASE, PLATFORM = "release", "platform"
HOME = "/opt/cabinet"
RELEASE_KEY = "release.pem"
"""The public key that comes with a release; the cabinet trusts the copy in /etc/cabinet."""

UNIT_FOLDERS = (
    *(f"/etc/systemd/{name}" for name in ("system", "system.control", "system.attached")),
    *(f"/run/systemd/{name}" for name in ("system", "system.control", "system.attached", "transient")),
    *(f"/run/systemd/generator{when}" for when in ("", ".early", ".late")),
    "/usr/local/lib/systemd/system",
    "/usr/lib/systemd/system",
)
"""The folders of the service manager's units and drop-ins (systemd.unit(5))."""

INTERPRETER = f"{HOME}/venv/bin/python"
"""The prefix of the environment's interpreter names: links to the system's, which the platform lists."""

POLKIT = "/usr/share/polkit-1/"
"""In some releases of Debian only polkit's own user and root may read its rules."""

COMMANDS = "/usr/bin/"
_EARLIER = ("/usr/local/sbin", "/usr/local/bin")
"""The folders in which a shell and sudo look for a command first."""

_ABOVE = ("/etc", "/run", "/usr/local/lib")
"""The folders whose files replace those of the same name in /usr/lib."""

_RESTART = (r"\[Service\]", "RestartMode=direct")
_CONFIGURATION = (
    r"\[(Unit|Service)\]",
    "RequiresMountsFor=/.*",
    "ReadWritePaths=-/.*",
    "PrivateNetwork=no",
    "PrivateUsers=no",
    "RestrictAddressFamilies=(AF_INET AF_INET6|AF_INET|AF_INET6)",
    "(CapabilityBoundingSet|AmbientCapabilities)=CAP_NET_ADMIN",
    "DeviceAllow=char-input r",
    "IPAddressAllow=[0-9a-f.:]+",
)


def _drop_in(unit: str, name: str, lines: tuple[str, ...]) -> Shaped:
    return Shaped(path=f"/etc/systemd/system/{unit}.service.d/{name}", lines=lines)


SHAPED = (
    _drop_in("cabinet", "50-configuration.conf", _CONFIGURATION),
    _drop_in("cabinet-update", "50-configuration.conf", _CONFIGURATION[:3]),
    _drop_in("cabinet-update-boot", "50-configuration.conf", _CONFIGURATION[:3]),
    _drop_in("cabinet", "50-restart.conf", _RESTART),
    _drop_in("cabinet-display", "50-restart.conf", _RESTART),
)
"""The files that `systemd/setup` writes on each machine."""


class Part(NamedTuple):
    """One of the manifests: the folder that it is in with its signature, and the trusted public key."""

    kind: str
    folder: str
    key: str


PARTS = (
    Part(RELEASE, HOME, "/etc/cabinet/release.pem"),
    Part(PLATFORM, "/etc/cabinet/platform", "/etc/cabinet/platform/platform.pem"),
)


class Authority(NamedTuple):
    """The signer of a part: the public key, and the SHA-256 of the manifest."""

    public_key: bytes
    manifest_sha256: str
    version: str


class Verdict(NamedTuple):
    """The result of a verification: every difference, and the signer of each part with a valid manifest."""

    differences: tuple[Difference, ...]
    authorities: Mapping[str, Authority]
    files: int = 0
    size: int = 0

    @property
    def is_authentic(self) -> bool:
        """Whether everything is as signed."""
        return not self.differences


class Installation(NamedTuple):
    """An installed cabinet: `/` is its tree's root on the machine itself, and all its files are root's."""

    root: Path = Path("/")
    owner: int = 0

    def at(self, path: str) -> Path:
        """Return the path of a file of the installed machine."""
        return self.root / path.lstrip("/")

    def prove(self, *, fresh: bool = False, progress: Progress | None = None, used: Iterable[str] = ()) -> Verdict:
        """Return what is not as signed; `fresh` reads the medium again. Blocks while it reads everything.

        A manifest that is missing or not signed with the trusted key is a difference too, and so is each name of
        `used`, which a process runs or loads, that no manifest lists.
        """
        found: list[Difference] = []
        authorities: dict[str, Authority] = {}
        listed: set[str] = set()
        size = 0
        for part in PARTS:
            signed = self._signed(part)
            if signed is None:
                found.append(Difference(f"{part.folder}/{MANIFEST}", Wrong.NOT_SIGNED))
                continue
            manifest, authorities[part.kind] = signed
            listed.update(entry.path for entry in manifest.entries)
            size += manifest.size
            found += differences(manifest, root=self.root, owner=self.owner, fresh=fresh, progress=progress)
        found += [Difference(speakable(path), Wrong.NOT_LISTED) for path in sorted(set(used) - listed)]
        return Verdict(tuple(found), authorities, len(listed), size)

    def is_as_signed(self, part: Part) -> bool:
        """Whether one part is as signed."""
        signed = self._signed(part)
        return signed is not None and not differences(signed[0], root=self.root, owner=self.owner)

    def _signed(self, part: Part) -> tuple[Manifest, Authority] | None:
        """Return a part's manifest and its signer, None if it is not signed."""
        try:
            public_key = read_public_key(self.at(part.key))
            text = signed_text(self.at(part.folder), public_key)
            manifest = decoded(text)
        except (NotAuthenticError, ManifestError):
            return None
        if manifest.kind != part.kind:
            return None
        return manifest, Authority(public_key, hashlib.sha256(text).hexdigest(), manifest.version)


def this_installation() -> Installation | None:
    """Return the installation that this program runs from, None for an unsigned source tree."""
    return Installation() if Path(__file__).is_relative_to(HOME) else None


def release_of(root: Path, placed: Iterable[str], version: str) -> Manifest:
    """Return the manifest of the release staged below `root`, with the files `placed` in the system.

    Raises `ManifestError` and `OSError`.
    """
    files = tuple(placed)
    plan = Manifest(
        kind=RELEASE,
        version=version,
        trees=(HOME,),
        unlisted=tuple(f"{HOME}/{name}" for name in (MANIFEST, SIGNATURE, RELEASE_KEY)),
        guarded=tuple(_guarded()),
        absent=tuple(_shadows(files)),
        shaped=SHAPED,
        hidden=tuple(path for path in files if path.startswith(POLKIT)),
    )
    manifest = measured(plan, files, root=root)
    _refuse_links_away(manifest)
    return manifest


def _refuse_links_away(manifest: Manifest) -> None:
    """Raise `ManifestError` for a link to a file that is not listed, except the platform's interpreter."""
    listed = {entry.path for entry in manifest.entries}
    for entry in manifest.entries:
        if entry.kind is Kind.LINK and not entry.path.startswith(INTERPRETER):
            target = os.path.normpath(os.path.join(os.path.dirname(entry.path), entry.target))  # noqa: PTH118, PTH120
            if target not in listed:
                raise ManifestError(f"{entry.path} leads to {target}, which nobody would sign: put that in its place")


def _guarded() -> Iterable[str]:
    """Return the names that would change one of our units, or every unit."""
    for folder in UNIT_FOLDERS:
        yield f"{folder}/cabinet*"
        yield f"{folder}/cabinet*.d/*"
        if not folder.startswith("/usr/lib/"):
            yield f"{folder}/service.d/*"


def _shadows(placed: Iterable[str]) -> Iterable[str]:
    """Return the names that would take precedence over these files; units are guarded already."""
    for path in placed:
        if path.startswith(COMMANDS):
            yield from (f"{earlier}/{path.removeprefix(COMMANDS)}" for earlier in _EARLIER)
        folder, _, name = path.removeprefix("/usr/lib/").rpartition("/")
        if folder.endswith(".d") and not folder.startswith("/"):
            yield from (f"{above}/{folder}/{name}" for above in _ABOVE)
