"""What the boot proof adds to an installed cabinet: simulated devices in a unit of their own, on the units' own terms.

A container has neither a header nor serial adapters nor a screen. So the proof's drop-ins change three things and leave
every other line of the units as it is shipped: the supervisor runs with `--simulated` (its journal is marked so for
ever, and its pins come over a socket), its serial drivers talk to ptys, and the display mirrors its frames to a file.
"""

from pathlib import Path

from controller.features.demo.settings import RunDirectory

RUN = "/run/cabinet"
GLASS = "/run/cabinet-display/glass"
JOURNAL = "/var/lib/cabinet/journal.sqlite"
HARDWARE = f"{RUN}/hardware.sock"
CONFIGURATION = "etc/cabinet/cabinet.toml"
_PYTHON = "/opt/cabinet/venv/bin/python"

DEVICES = f"""
[Unit]
Description=Proof only: the simulated devices
[Service]
ExecStart={_PYTHON} -m drivers.simulated --config /etc/cabinet/cabinet.toml --run {RUN} --state /var/lib/devices/memory
Environment=PYTHONSAFEPATH=1
User=cabinet
SupplementaryGroups=cabinet-display
StateDirectory=devices
Restart=always
[Install]
WantedBy=multi-user.target
"""

SUPERVISOR = f"""
[Unit]
After=cabinet-devices.service
[Service]
ExecStartPre=/bin/sh -c 'until [ -S {HARDWARE} ]; do sleep 0.1; done'
# A sandbox within a container sees the host's boot; the supervisor looks at the machine's boot id.
ExecStartPre=+/bin/cp /proc/sys/kernel/random/boot_id /run/this-boot
ExecStart=
ExecStart={_PYTHON} -m controller.supervisor /etc/cabinet/cabinet.toml --simulated --boot /run/this-boot
"""

DISPLAY = f"""
[Service]
ExecStart=
ExecStart={_PYTHON} -m ui --socket {RUN}/display.sock --frame-mirror {GLASS} --baked /opt/cabinet/baked
Environment=SDL_AUDIODRIVER=dummy
"""


UNITS = {
    "/etc/systemd/system/cabinet-devices.service": DEVICES,
    "/etc/systemd/system/cabinet.service.d/proof.conf": SUPERVISOR,
    "/etc/systemd/system/cabinet-display.service.d/proof.conf": DISPLAY,
}
"""Where each of them lies; the proof's own release is signed with them."""


def put_units(tree: Path) -> None:
    """Put the proof's units into a tree."""
    for path, text in UNITS.items():
        place = tree / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
        place.chmod(0o644)


def write(tree: Path, scratch: Path) -> None:
    """Put the proof's units and configuration into an installed tree; `scratch` is an empty directory."""
    put_units(tree)
    wants = tree / "etc/systemd/system/multi-user.target.wants/cabinet-devices.service"
    wants.symlink_to("/etc/systemd/system/cabinet-devices.service")
    demo = RunDirectory.made(scratch)
    text = demo.write_configuration(Path("/opt/cabinet/baked")).read_text(encoding="utf-8")
    text = text.replace(str(demo.journal), JOURNAL).replace(str(demo.path), RUN)
    # in place, so that owner and mode stay as the installation left them
    with (tree / CONFIGURATION).open("r+", encoding="utf-8") as file:
        file.truncate()
        file.write(text)
