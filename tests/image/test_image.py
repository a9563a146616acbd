"""The image's lists, files and card, and the layer of rpi-image-gen, which must not drift from each other."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from controller.configuration.cabinet_toml import load
from controller.features.doctor.board import I2C, WANTED
from tests.rigs.needing import needs_tools

IMAGE = Path("image").resolve()
FILES = IMAGE / "files"
GEN = IMAGE / "rpi-image-gen"
SCRIPTS = [path for path in sorted(IMAGE.rglob("*")) if path.is_file() and path.read_bytes().startswith(b"#!/bin/sh")]


def lists(*what: str) -> list[str]:
    """Return the words of `image/lists`."""
    return subprocess.check_output([IMAGE / "lists", *what], text=True).split()


def mounts() -> dict[str, tuple[str, set[str]]]:
    """Return the label and the options of each mount in the image's fstab."""
    lines = (FILES / "etc/fstab").read_text(encoding="utf-8").splitlines()
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    return {row[1]: (row[0].removeprefix("LABEL="), set(row[3].split(","))) for row in rows}


def layer() -> dict[str, list[str]]:
    """Return what rpi-image-gen's layer has for mmdebstrap."""
    read: dict[str, dict[str, list[str]]] = yaml.safe_load(
        (GEN / "layer/slot-cabinet.yaml").read_text(encoding="utf-8")
    )
    return read["mmdebstrap"]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_every_script_is_sound_shell(script: Path) -> None:
    """The shell reads each to its end, each stops at the first failure, and each can be run."""
    subprocess.run(["sh", "-n", script], check=True)
    assert "\nset -eu\n" in script.read_text(encoding="utf-8")
    assert os.access(script, os.X_OK)


def checked(folder: Path, user: int, *tools: str) -> tuple[int, str]:
    """Return how `make-image --check` ends, and what it says, for a user on a machine with these tools alone."""
    tool = folder / "id"
    tool.write_text(f"#!/bin/sh\necho {user}\n")
    tool.chmod(0o755)
    (folder / "dirname").symlink_to(shutil.which("dirname") or "")
    for name in tools:
        (folder / name).symlink_to("/bin/true")
    command = [IMAGE / "make-image", "--check"]
    ended = subprocess.run(
        command, env={"PATH": str(folder), "HOME": str(folder)}, check=False, capture_output=True, text=True
    )
    return ended.returncode, ended.stdout + ended.stderr


TOOLS = (
    *("mmdebstrap", "arch-test", "dtc", "fdtoverlay", "mke2fs", "sfdisk"),
    *("mkfs.vfat", "mcopy", "zstd", "dpkg-deb", "openssl"),
)


@pytest.mark.parametrize(
    ("user", "tools", "said"),
    [
        (1000, TOOLS, (1, "make-image: run it as root, with sudo\n")),
        (
            0,
            TOOLS[1:-1],
            (1, "make-image: these are missing: mmdebstrap openssl; docs/install.md names the packages\n"),
        ),
        (0, TOOLS, (0, "")),
    ],
    ids=["user", "tools", "all"],
)
def test_what_an_image_is_made_with_is_asked_for_without_making_one(
    user: int, tools: tuple[str, ...], said: tuple[int, str], tmp_path: Path
) -> None:
    """All that is missing at once; a release asks before it begins."""
    assert checked(tmp_path, user, *tools) == said


def test_an_image_needs_programs_of_arm64_to_run(tmp_path: Path) -> None:
    """Emulated where the machine is another."""
    (tmp_path / "arch-test").symlink_to("/bin/false")
    code, said = checked(tmp_path, 0, *(name for name in TOOLS if name != "arch-test"))
    assert (code, said.partition(": apt-get")[0]) == (1, "make-image: no program of arm64 runs here")


def test_the_layer_has_the_packages_of_the_image() -> None:
    """Debian's and Raspberry Pi OS' differ by kernel, firmware and initramfs alone, which device layers bring."""
    assert layer()["packages"] == lists("packages", "pi")
    assert set(lists("packages", "debian")) - set(lists("packages", "pi")) == {
        "initramfs-tools",
        "linux-image-arm64",
        "raspi-firmware",
    }


def test_the_image_has_what_the_package_depends_on() -> None:
    """Of alternatives the release's own, so that dpkg installs the cabinet's package without a download."""
    needed = [line.split("|")[0].strip() for line in Path("systemd/packages").read_text(encoding="utf-8").splitlines()]
    assert {name for name in needed if name and not name.startswith("#")} <= set(lists("packages", "debian"))


def test_the_image_installs_both_packages() -> None:
    """All that make-deb prints, and the layer the two that it is given."""
    make = (IMAGE / "make-image").read_text(encoding="utf-8")
    assert 'make-deb" --staged "$work/out/tree" --architecture arm64 >"$work/packages"' in make
    assert 'xargs cp -t "$root/root/packages" <"$work/packages"' in make
    assert 'cp "$IGconf_cabinet_package" "$IGconf_cabinet_art" "$1/root/packages"' in layer()["customize-hooks"]
    described = (GEN / "layer/slot-cabinet.yaml").read_text(encoding="utf-8")
    for name in ("package", "art", "source"):
        assert f"# X-Env-Var-{name}-Required: y" in described


def test_the_layer_puts_the_files_of_the_image() -> None:
    """By the same folder and the same script, so that a file that one has the other has as well."""
    hooks = "\n".join(layer()["customize-hooks"])
    make = (IMAGE / "make-image").read_text(encoding="utf-8")
    put = re.compile(r"tar --owner=0 --group=0 --mode=u=rwX,go=rX ")
    for text in (hooks, make):
        assert put.search(text)
        assert "settle-tree" in text
        assert "dpkg --install --recursive /root/packages\n" in text
    assert {path for path in lists("files") if path.startswith("/etc/")} == {
        "/etc/default/raspi-extra-cmdline",
        "/etc/default/raspi-firmware",
        "/etc/default/raspi-firmware-custom",
        "/etc/fstab",
        "/etc/hostname",
        "/etc/hosts",
    }


@pytest.mark.parametrize("generation", [4, 5])
def test_a_configuration_for_each_pi(generation: int) -> None:
    """Each takes the device's layer, Trixie and the cabinet's layer."""
    text = (GEN / f"config/cabinet-pi{generation}.yaml").read_text(encoding="utf-8")
    read = yaml.safe_load(text)
    assert read["device"]["layer"] == f"rpi{generation}"
    assert read["layer"][-1] == "slot-cabinet"
    assert any(lists("release")[0] in name for name in read["layer"])


def test_no_file_of_the_image_shadows_one_of_the_release() -> None:
    """The release's manifest guards every name that begins with cabinet among the units, and the placed files."""
    placed = set(subprocess.check_output(["systemd/place", "--list"], text=True).split())
    files = lists("files")
    assert placed.isdisjoint(files)
    assert not [path for path in files if "/systemd/" in path and Path(path).name.startswith("cabinet")]


def test_the_root_is_read_only_and_the_books_are_flushed() -> None:
    """Each flush reaches the card, data before the names that lead to it, and a damaged file system takes no write."""
    found = mounts()
    assert "ro" in found["/"][1]
    assert {"rw", "data=ordered", "barrier=1", "errors=remount-ro", "nodev", "nosuid", "noexec"} <= found[
        "/var/lib/cabinet"
    ][1]
    assert found["/var/lib/cabinet-copy"][1] - {"nofail"} == found["/var/lib/cabinet"][1]
    assert "ro" in found["/boot/firmware"][1]
    assert not {"nobarrier", "data=writeback", "noload"} & set.union(*(options for _, options in found.values()))


def test_the_firmware_lines_are_those_that_the_doctor_wants() -> None:
    """And no serial port is a console, by Debian's way and by Raspberry Pi OS'."""
    custom = (FILES / "etc/default/raspi-firmware-custom").read_text(encoding="utf-8")
    assert {*WANTED, I2C} <= {line.split(",")[0] for line in custom.splitlines()}
    words = (FILES / "etc/default/raspi-extra-cmdline").read_text(encoding="utf-8").split()
    assert words[0] == "ro"
    assert not [word for word in words if word.startswith("console=")]


def test_the_boot_lines_of_raspberry_pi_os(tmp_path: Path) -> None:
    """The serial console and the writable root go, what else was there stays."""
    (tmp_path / "config.txt").write_text("dtoverlay=vc4-kms-v3d\n[cm4]\notg_mode=1\n", encoding="utf-8")
    (tmp_path / "cmdline.txt").write_text(
        "console=serial0,115200 console=tty1 root=/dev/disk/by-slot/system rw rootwait\n", encoding="utf-8"
    )
    subprocess.run([GEN / "boot-lines", tmp_path, FILES / "etc/default"], check=True)
    words = (tmp_path / "cmdline.txt").read_text(encoding="utf-8").split()
    assert words[:4] == ["console=tty3", "root=LABEL=cabinet-root", "rootwait", "ro"]
    settings = (tmp_path / "config.txt").read_text(encoding="utf-8").splitlines()
    assert settings[:4] == ["dtoverlay=vc4-kms-v3d", "[cm4]", "otg_mode=1", "[all]"]
    assert {"enable_uart=0", "dtoverlay=disable-wifi", "dtoverlay=disable-bt"} <= set(settings[4:])


BOARD = """/dts-v1/;
/ {
    aliases { serial0 = "/soc/serial@7e201000"; };
    soc {
        uart0: serial@7e201000 { status = "okay"; pinctrl-0 = <1>; bt: bluetooth {}; };
        uart1: serial@7e215040 { status = "okay"; };
        sdhci: mmc@7e300000 { status = "okay"; };
        i2c1: i2c@7e804000 { status = "okay"; clock-frequency = <100000>; };
        gpio@7e200000 { uart0_gpio14: uart0-gpio14 { brcm,pins = <14 15>; }; };
    };
};
"""
"""What the overlays find on Debian's tree of a Pi 4; make-image applies them to the kernel's own."""
OFF = {"/soc/serial@7e215040", "/soc/serial@7e201000/bluetooth", "/soc/mmc@7e300000"}


@needs_tools("dtc", "fdtoverlay", "fdtget", packages="device-tree-compiler")
def test_the_overlays_of_the_image(tmp_path: Path) -> None:
    """Bus 1 runs at 400 kHz; UARTs and radios are off; the second overlay gives pins 14 and 15 to the PL011."""

    def compiled(source: str | Path, name: str) -> Path:
        text = source if isinstance(source, str) else source.read_text(encoding="utf-8")
        to = tmp_path / name
        subprocess.run(["dtc", "-q", "-@", "-I", "dts", "-O", "dtb", "-o", to], input=text, text=True, check=True)
        return to

    def applied(name: str, board: Path) -> Path:
        to = tmp_path / f"{name}.dtb"
        overlay = compiled(IMAGE / f"overlays/{name}.dts", f"{name}.dtbo")
        subprocess.run(["fdtoverlay", "-i", board, "-o", to, overlay], check=True)
        return to

    def found(tree: Path, node: str, name: str) -> str:
        return subprocess.check_output(["fdtget", tree, node, name], text=True).strip()

    cabinet = applied("cabinet-pi4", compiled(BOARD, "board.dtb"))
    assert found(cabinet, "/aliases", "i2c1") == "/soc/i2c@7e804000"
    assert found(cabinet, "/soc/i2c@7e804000", "clock-frequency") == "400000"
    assert {found(cabinet, node, "status") for node in {*OFF, "/soc/serial@7e201000"}} == {"disabled"}
    with_uart = applied("cabinet-pi4-uart", cabinet)
    assert {found(with_uart, node, "status") for node in OFF} == {"disabled"}
    assert found(with_uart, "/soc/serial@7e201000", "status") == "okay"
    pins = found(with_uart, "/soc/gpio@7e200000/uart0-gpio14", "phandle")
    assert found(with_uart, "/soc/serial@7e201000", "pinctrl-0") == pins


def test_the_samples_take_the_second_copy_of_the_image() -> None:
    """The set-up replaces one line of the sample; it must be there, once."""
    first_start = (FILES / "usr/lib/cabinet-image/first-start").read_text(encoding="utf-8")
    assert "SECOND_COPY=$copy/journal.copy /opt/cabinet/system/setup" in first_start
    (line,) = [line for line in Path("systemd/setup").read_text(encoding="utf-8").splitlines() if "SECOND_COPY" in line]
    (expression,) = re.findall(r'sed ("s\|.*\|") ', line)
    for sample in ("docs/cabinet.toml", "docs/cabinet-pi5.toml"):
        lines = Path(sample).read_text(encoding="utf-8").splitlines()
        assert lines.count('second_copy = ""') == 1
        made = subprocess.check_output(
            ["sh", "-c", f"SECOND_COPY=/copy/books; sed {expression} {sample}"], text=True
        ).splitlines()
        assert [line for line in made if line not in lines] == ['second_copy = "/copy/books"']
        assert load(Path(sample)).cabinet.journal.startswith("/var/lib/cabinet/")


CARD_TOOLS = needs_tools(
    *("mke2fs", "dumpe2fs", "sfdisk", "mkfs.vfat", "mcopy"), packages="e2fsprogs fdisk dosfstools mtools"
)


def _make_card(folder: Path, program_bytes: int) -> subprocess.CompletedProcess[str]:
    """Write `folder`/card.img of a small root with a program of that size."""
    root = folder / "root"
    for name in ("etc", "opt/cabinet", "var/lib/cabinet", "boot/firmware"):
        (root / name).mkdir(parents=True)
    (root / "etc/passwd").write_text(f"cabinet:x:{os.getuid()}:{os.getgid()}::/:\n", encoding="utf-8")
    (root / "boot/firmware/config.txt").write_text("enable_uart=0\n", encoding="utf-8")
    with (root / "opt/cabinet/program").open("wb") as file:
        file.truncate(program_bytes)
    command = [IMAGE / "make-card", root, folder / "work", folder / "card.img"]
    environment = dict(os.environ, MKE2FS_SYNC="0")
    return subprocess.run(command, check=False, env=environment, capture_output=True, text=True)


@CARD_TOOLS
def test_a_card_has_a_partition_for_each_mount(tmp_path: Path) -> None:
    """The books come last, within the extended partition, since the first start gives them the rest of the card."""
    made = _make_card(tmp_path, 700 << 20)
    assert made.returncode == 0, made.stderr
    card = tmp_path / "card.img"
    table = subprocess.check_output(["sfdisk", "--json", card], text=True)
    starts = [int(start) for start in re.findall(r'"start": (\d+)', table)]
    assert len(starts) == 6
    labels = {}
    with card.open("rb") as image:
        for start in (starts[1], starts[2], starts[4], starts[5]):
            image.seek(start * 512 + 1024 + 120)
            labels[start] = image.read(16).rstrip(b"\0").decode()
        image.seek(starts[0] * 512 + 71)
        assert image.read(11).rstrip() == b"CABINETBOOT"
    assert list(labels.values()) == ["cabinet-root", "cabinet-state", "cabinet-copy", "cabinet-books"]
    assert {label for label, _ in mounts().values() if label != "tmpfs"} == {*labels.values(), "CABINETBOOT"}
    assert max(starts) == starts[5]
    assert (tmp_path / "root/boot/firmware/config.txt").exists(), "the root is left as it was"


@CARD_TOOLS
def test_a_card_without_room_for_updates_is_refused(tmp_path: Path) -> None:
    """Beside the installed program an update needs room for the one of before, and for its own."""
    made = _make_card(tmp_path, 1800 << 20)
    assert made.returncode == 1
    assert "raise root_mb" in made.stderr


def test_contents_lists_every_name(tmp_path: Path) -> None:
    """Mode, owner, digest or target, path: what two builds are compared by."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/file").write_bytes(b"")
    (tmp_path / "link").symlink_to("folder/file")
    lines = subprocess.check_output([IMAGE / "contents", tmp_path], text=True).splitlines()
    assert [line.split("\t")[3:] for line in lines] == [
        ["-", "/folder"],
        ["e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "/folder/file"],
        ["-> folder/file", "/link"],
    ]


@pytest.mark.parametrize(("options", "remounted"), [("ro,noatime", "-o remount,rw /"), ("rw", ""), ("errors=x", "")])
def test_an_update_opens_the_root_of_the_image_alone(tmp_path: Path, options: str, remounted: str) -> None:
    """Where fstab does not mount / read-only nothing is done."""
    fstab, said = tmp_path / "fstab", tmp_path / "said"
    fstab.write_text(f"# / ext4 ro\nLABEL=x / ext4 {options} 0 1\n", encoding="utf-8")
    mount = tmp_path / "mount"
    mount.write_text(f'#!/bin/sh\necho "$@" >{said}\n', encoding="utf-8")
    mount.chmod(0o755)
    environment = {**os.environ, "FSTAB": str(fstab), "MOUNT": str(mount)}
    subprocess.run(["systemd/writable", "yes"], check=True, env=environment)
    assert (said.read_text(encoding="utf-8").strip() if said.exists() else "") == remounted
