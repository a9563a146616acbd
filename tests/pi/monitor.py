"""The monitor: what the display's own unit shows through SDL's KMSDRM, read back and compared with golden pictures."""

import base64
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pygame

from tests.pi.cabinet import DISPLAY, SUPERVISOR, Cabinet
from tests.pi.machine import DISK, MONITOR
from tests.ui.golden import FULL_HD, key, recorded, rehearsed
from ui.gpu_canvas import TOLERANCE
from ui.protocol.messages import Hello, Snapshot, encode

STILL = ("paytable", "service_people", "service_qr", "service_chart_wins")
"""Screens on which nothing moves: their golden picture is what stays on the monitor."""
PICTURE_S = 600.0
"""Without a GPU the first picture waits for Mesa to compile its shaders, which took 95 s on a starved machine."""
TOUCHED, CONTROL, TOUCH_S = "paytable", "paytable_close", 900.0
_SHOWS, _FINGER = "pi-shows", "pi-finger"
HEARD_S, HEARD = 30, 300
KEPT = "technician"
CONFIG = "/etc/cabinet/cabinet.toml"
MONITORS = {"tall": ("tall", (1280, 1024)), "portrait": ("portrait", (1080, 1920)), FULL_HD: ("wide", (1920, 1080))}
"""The other monitors by their names among the golden pictures: shape and mode. The last one's needs art at 1.5."""
CONNECTOR = "/sys/class/drm/card0-Virtual-1/status"
REBIND = (
    f"systemctl stop {DISPLAY}; cd /sys/bus/virtio/drivers/virtio_gpu;"
    " card=$(basename /sys/class/drm/card0/device/virtio*); echo $card >unbind; echo $card >bind; udevadm settle"
)
"""A card that is kept knows the monitor that it had; its driver asks for another one when it begins."""


def golden(name: str, monitor: str = "wide") -> tuple[bytes, bytes]:
    """Return the display's packet for a screen of the programme, and its golden picture's pixels as RGB."""
    rehearsal = rehearsed(name, monitor)
    assert rehearsal.pixels() == recorded()[key(name, monitor)], f"{name} is not drawn as it is recorded"
    return encode(Snapshot(1, rehearsal.director.view)), pygame.image.tobytes(rehearsal.picture(), "RGB")


def shown(cabinet: Cabinet, file: Path) -> bytes:
    """Keep what is on the monitor in `file`, and return its pixels as RGB."""
    cabinet.machine.picture(file)
    return pygame.image.tobytes(pygame.image.load(file), "RGB")


def show(cabinet: Cabinet, packet: bytes) -> None:
    """Take the supervisor's place before the display, with one state to show."""
    machine = cabinet.machine
    for name, content in (("hello", encode(Hello())), ("shown", packet)):
        machine.run(f"echo {base64.b64encode(content).decode()} | base64 -d >/run/pi-{name}")
    machine.run(
        f"systemctl stop {SUPERVISOR} {_SHOWS}; systemctl reset-failed {_SHOWS}; systemctl start {DISPLAY};"
        f" systemd-run --quiet --unit={_SHOWS} --uid=cabinet --gid=cabinet-display"
        f" -p StandardOutput=truncate:/run/pi-said"
        f" python3 /run/{DISK}/shows.py /run/cabinet/display.sock /run/pi-hello /run/pi-shown"
    )


def restart(cabinet: Cabinet) -> None:
    """Have the display end, and its unit start it again.

    It ends between two frames. Here one takes up to 25 s, and `systemctl restart` gives up after TimeoutStopSec, 5 s: a
    Pi draws three hundred within it.
    """
    machine, pid = cabinet.machine, cabinet.machine.property(DISPLAY, "MainPID")
    machine.run(f"systemctl kill --kill-whom=main {DISPLAY} || systemctl start {DISPLAY}")
    machine.wait("another display runs", lambda: machine.property(DISPLAY, "MainPID") not in {pid, "0"}, PICTURE_S)


def place_of(name: str, control: str) -> tuple[int, int]:
    """Return a place of a control on a screen of the programme, in parts of 65,536 of the monitor."""
    rehearsal = rehearsed(name)
    rehearsal.picture()
    width, height = rehearsal.screen.size
    hits = [
        (x, y)
        for x in range(0, width, 10)
        for y in range(0, height, 10)
        if rehearsal.scene_manager.touch(x, y, rehearsal.now) == control
    ]
    x, y = hits[len(hits) // 2]
    return x * 65536 // width, y * 65536 // height


def pictures(cabinet: Cabinet) -> Iterator[str]:
    """What the display's unit, as its user and without X, puts on the monitor is the golden picture, pixel by pixel."""
    machine = cabinet.machine
    for name in STILL:
        packet, wanted = golden(name)
        show(cabinet, packet)
        file = cabinet.kept / f"monitor-{name}.png"
        took = machine.wait(f"{name} is shown", lambda f=file, w=wanted: shown(cabinet, f) == w, PICTURE_S)  # type: ignore[misc]
        yield f"{name}: every pixel of the monitor's {len(wanted) // 3} as recorded, {took:.0f} s later"
    pid = machine.property(DISPLAY, "MainPID")
    loaded = machine.run(f"grep -ohE '/dev/dri/\\w+|lib(gallium|GL|GLESv2|gbm)[-.0-9]\\S*' /proc/{pid}/maps | sort -u")
    state = machine.run("cat /sys/kernel/debug/dri/0/state")
    cabinet.keep("drm-state.txt", state)
    plane = re.search(r"allocated by = (\S+).*?format=(\w+).*?size=(\S+)", state, re.DOTALL)
    assert plane is not None, state
    yield f"the plane scans out {plane[3]} {plane[2]} of {plane[1]}; it has loaded {' '.join(loaded.split())}"


def configure(cabinet: Cabinet, expression: str) -> None:
    """Change the machine's cabinet.toml by an expression of sed; its display reads it when it starts."""
    cabinet.machine.run(f"mount -o remount,rw / && sed -i -E '{expression}' {CONFIG} && mount -o remount,ro /")


def by_gpu(cabinet: Cabinet) -> Iterator[str]:
    """The same pictures within the tolerance where SDL's renderer composes them, which "auto" refuses there."""
    machine = cabinet.machine
    configure(cabinet, 's/^compose = .*/compose = "gpu"/')
    try:
        for name in STILL:
            packet, wanted = golden(name)
            show(cabinet, packet)
            if name == STILL[0]:
                restart(cabinet)
            file = cabinet.kept / f"gpu-{name}.png"
            took = machine.wait(
                f"{name} is shown within {TOLERANCE}",
                lambda f=file, w=wanted: apart(shown(cabinet, f), w) <= TOLERANCE,  # type: ignore[misc]
                PICTURE_S,
            )
            yield f"{name}: at most {apart(shown(cabinet, file), wanted)} of 255 from as recorded, {took:.0f} s later"
        log = machine.run(f"journalctl -u {DISPLAY} -b --no-pager --output=cat | grep 'frames are composed' | tail -1")
        assert "by the GPU" in log, log
        yield log.strip()
    finally:
        configure(cabinet, 's/^compose = .*/compose = "auto"/')
        restart(cabinet)


def apart(one: bytes, other: bytes) -> int:
    """Return the largest difference of a channel between two pictures' pixels; 256 for pictures of two sizes."""
    if len(one) != len(other):
        return 256
    first, second = (np.frombuffer(pixels, np.uint8).astype(np.int16) for pixels in (one, other))
    return int(np.abs(first - second).max())


def touch(cabinet: Cabinet) -> Iterator[str]:
    """A finger on an evdev device, there at the start or plugged in later, is a press; a keyboard is not."""
    machine = cabinet.machine
    packet, wanted = golden(TOUCHED)
    show(cabinet, packet)
    file = cabinet.kept / "touched.png"
    machine.wait(f"{TOUCHED} is shown", lambda: shown(cabinet, file) == wanted, PICTURE_S)
    plug_finger(cabinet)
    for name, expected in (("pi-touch", "root input 660"), ("pi-keyboard", "root cabinet 640")):
        node = (
            f"/dev/input/$(basename $(dirname $(grep -lx {name} /sys/class/input/event*/device/name | xargs dirname)))"
        )
        machine.wait(
            f"{name} is {expected}",
            lambda n=node, e=expected: machine.attempt(f"stat --format='%U %G %a' {n}")[1].strip() == e,  # type: ignore[misc]
            60.0,
        )
        yield f"{name}: {expected}, by the udev rules"
    x, y = place_of(TOUCHED, CONTROL)
    for how in ("plugged in while the display runs", "there when the display starts"):
        yield f"touch screen {how}: {CONTROL} pressed {_pressed(cabinet, x, y):.0f} s later"
        restart(cabinet)
        machine.wait("it is shown again", lambda: shown(cabinet, file) == wanted, PICTURE_S)


def plug_finger(cabinet: Cabinet) -> None:
    """Plug in a touch screen with a finger on it, and a keyboard."""
    cabinet.machine.run(
        f"modprobe uinput; systemctl stop {_FINGER}; systemctl reset-failed {_FINGER}; rm -f /run/{_FINGER};"
        f" mkfifo /run/{_FINGER} && systemd-run --quiet --unit={_FINGER} python3 /run/{DISK}/finger.py /run/{_FINGER}"
    )


def _pressed(cabinet: Cabinet, x: int, y: int) -> float:
    """Tap until the press is heard; return the seconds it took."""

    def heard() -> bool:
        said = cabinet.machine.run(f"echo 'tap {x} {y}' >/run/{_FINGER}; sleep 2; cat /run/pi-said")
        return f'"{CONTROL}"' in said

    return cabinet.machine.wait("the press is heard", heard, TOUCH_S)


def sound(cabinet: Cabinet) -> Iterator[str]:
    """The display's own unit opens the card through ALSA, and a press is heard on the card's other end."""
    machine = cabinet.machine
    machine.run("modprobe snd-aloop && udevadm settle")
    packet, _ = golden(TOUCHED)
    # What an earlier display has said of its sound is not heard any more.
    restart(cabinet)
    show(cabinet, packet)
    plug_finger(cabinet)
    x, y = place_of(TOUCHED, CONTROL)
    tap = f"echo 'tap {x} {y}' >/run/{_FINGER}; sleep 3"
    # The display reports its sound beside its frames, and draws none on a screen that stands still.
    took = machine.wait("sound is open", lambda: '"sound":true' in machine.run(f"{tap}; cat /run/pi-said"), PICTURE_S)
    held = machine.run("cat /proc/asound/Loopback/pcm0p/sub0/status")
    assert "state: RUNNING" in held, held
    opened = machine.run(f"ls -l /proc/{machine.property(DISPLAY, 'MainPID')}/fd")
    assert "/dev/snd/pcmC0D0p" in opened, opened
    yield f"the card is open {took:.0f} s after the display's start, by the display's process"
    taps = f"for i in 1 2 3 4 5 6; do sleep 3; echo 'tap {x} {y}' >/run/{_FINGER}; done"
    heard = json.loads(machine.run(f"({taps}) & python3 /run/{DISK}/hears.py {HEARD_S}"))
    assert heard["frames"] > 0, heard
    assert heard["highest"] > HEARD, heard
    yield f"presses are heard: {heard['frames']} frames, the highest sample {heard['highest']} of 32767"


def unplugged(cabinet: Cabinet) -> Iterator[str]:
    """A monitor pulled out, and one that is missing at the display's start: the picture comes when it is there."""
    machine = cabinet.machine
    packet, wanted = golden(TOUCHED)
    show(cabinet, packet)
    file = cabinet.kept / "unplugged.png"
    machine.wait(f"{TOUCHED} is shown", lambda: shown(cabinet, file) == wanted, PICTURE_S)
    pid = machine.property(DISPLAY, "MainPID")
    machine.run(f"echo off >{CONNECTOR}; udevadm settle; sleep 5; echo on >{CONNECTOR}")
    took = machine.wait("it is shown again", lambda: shown(cabinet, file) == wanted, PICTURE_S)
    same = "the same process" if machine.property(DISPLAY, "MainPID") == pid else "another process of its unit"
    yield f"pulled out and put back: the picture is there {took:.0f} s later, by {same}"
    machine.run(f"echo off >{CONNECTOR}")
    restart(cabinet)
    machine.run("sleep 20")
    log = machine.run(f"journalctl -u {DISPLAY} -b --no-pager --output=cat | tail -5")
    assert "no monitor is connected" in log, log
    assert machine.property(DISPLAY, "ActiveState") == "active"
    machine.run(f"echo on >{CONNECTOR}")
    took = machine.wait("it is shown", lambda: shown(cabinet, file) == wanted, PICTURE_S)
    yield f"none at the start: waited for, the picture is there {took:.0f} s after it was plugged in"


def monitors(cabinet: Cabinet) -> Iterator[str]:
    """Each other monitor: the kernel has its mode, and the display fills it with the golden picture of its shape.

    The books are those of KEPT afterwards, and no longer fit the devices' counts.
    """
    machine = cabinet.machine
    for name, (shape, size) in MONITORS.items():
        scale = "1.5x" if name == FULL_HD else "1x"
        packet, wanted = golden(TOUCHED, name)
        cabinet.go_on(KEPT, size)
        machine.run(REBIND)
        configure(cabinet, f's/^shape = .*/shape = "{shape}"/; s/^scale = .*/scale = "{scale}"/')
        show(cabinet, packet)
        began = time.monotonic()
        restart(cabinet)
        file = cabinet.kept / f"monitor-{name}.png"
        machine.wait(f"{name} is shown", lambda f=file, w=wanted: shown(cabinet, f) == w, PICTURE_S)  # type: ignore[misc]
        modes = machine.run(f"head -1 {CONNECTOR.replace('status', 'modes')}").strip()
        assert modes == "{}x{}".format(*size), modes
        yield f"{name}: {modes}, every pixel as recorded, {time.monotonic() - began:.0f} s after the display's start"
    cabinet.go_on(KEPT, MONITOR)


CHECKS = (pictures, by_gpu, touch, sound, unplugged)
