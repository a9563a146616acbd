"""What is installed where, and the words of the plain screen; the scripts run as they are, in trees of their own."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from controller.features.update.orders import Act, Intent, write
from controller.features.update.trees import mark_of
from controller.journal.schema import NAMES
from tests.rigs.needing import skipped_where
from tests.systemd.unit_files import values

SYSTEMD = Path("systemd").resolve()
SCRIPTS = [path for path in sorted(SYSTEMD.rglob("*")) if path.is_file() and path.read_bytes().startswith(b"#!/bin/sh")]


def place(*arguments: object) -> list[str]:
    """Run `place` and return the lines it said."""
    return subprocess.check_output([SYSTEMD / "place", *map(str, arguments)], text=True).splitlines()


def files(tree: Path) -> dict[str, bytes]:
    """Return the files under `tree` with what they hold; of a link where it leads."""
    found = {}
    for path in sorted(tree.rglob("*")):
        if path.is_symlink():
            found[f"/{path.relative_to(tree)}"] = os.fsencode(path.readlink())
        elif path.is_file():
            found[f"/{path.relative_to(tree)}"] = path.read_bytes()
    return found


def test_every_system_file_has_one_place_and_is_listed_for_the_removal(tmp_path: Path) -> None:
    """What is put is what `place --list` names, and every unit and every file of conf is among it."""
    place(tmp_path)
    put = files(tmp_path)
    assert sorted(put) == sorted(place("--list"))
    held = {contents for path, contents in put.items() if path != "/usr/bin/cabinet"}
    sources = [path for path in (*SYSTEMD.glob("units/*"), *SYSTEMD.glob("conf/*")) if path.name != "masked"]
    sources += [SYSTEMD / "update", SYSTEMD / "writable"]
    assert {path.read_bytes() for path in sources} == held


def test_putting_the_files_again_changes_nothing(tmp_path: Path) -> None:
    """An installation may be run as often as one likes."""
    place(tmp_path)
    first = files(tmp_path)
    place(tmp_path)
    assert files(tmp_path) == first


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_every_script_is_sound_shell(script: Path) -> None:
    """The shell reads each to its end; each stops at the first failure, but those that do what they can."""
    subprocess.run(["sh", "-n", script], check=True)
    text = script.read_text(encoding="utf-8")
    assert "\nset -e" in text or script.name in ("fault-screen", "sticks")


@skipped_where(os.getuid() == 0, "as root it would install", "run it as another user")
@pytest.mark.parametrize("script", ["install", "uninstall", "go-back"])
def test_what_changes_the_machine_wants_root(script: str) -> None:
    """Nothing is half done by somebody who may not do the rest."""
    done = subprocess.run([SYSTEMD / script], capture_output=True, text=True, check=False)
    assert (done.returncode, "as root" in done.stderr) == (1, True)


def test_an_option_that_nobody_knows_changes_nothing(tmp_path: Path) -> None:
    """A misspelt option of the staging ends it before anything is written."""
    done = subprocess.run(
        [SYSTEMD / "stage", "--bakde", tmp_path / "tree"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert list(tmp_path.iterdir()) == []


def plain_screen(folder: Path, *, failed: str, said: str) -> str:
    """Return what the plain screen shows where the unit `failed` could not be started and `said` something last."""
    tools = folder / "bin"
    tools.mkdir()
    for name, script in (("systemctl", f'[ "$3" = {failed} ]'), ("journalctl", f"printf '%s\\n' \"{said}\"")):
        tool = tools / name
        tool.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        tool.chmod(0o755)
    environment = {"PATH": f"{tools}:{os.environ['PATH']}"}
    shown = subprocess.check_output([SYSTEMD / "fault-screen"], env=environment)
    return shown.decode("ascii")


@pytest.mark.requirement("D10")
def test_the_plain_screen_says_what_to_do_in_both_languages_and_why(tmp_path: Path) -> None:
    """Credit is kept, call an attendant; for the technician the program's last words."""
    shown = plain_screen(tmp_path, failed="cabinet.service", said="cabinet.toml: pins: is missing")
    assert "Your credit is kept. Please call an attendant." in shown
    assert "Ihr Guthaben ist gespeichert." in shown
    assert "cabinet.service could not be started" in shown
    assert "cabinet.toml: pins: is missing" in shown
    assert "cabinet-display.service could not" not in shown


def test_the_plain_screen_has_the_words_of_a_first_start_that_failed(tmp_path: Path) -> None:
    """Such as which files may have been meant as the configuration."""
    shown = plain_screen(tmp_path, failed="first-start.service", said="Rename one of them to cabinet.toml.")
    assert "Rename one of them to cabinet.toml." in shown


def test_the_console_is_not_touched_by_a_misspelt_command() -> None:
    """Nothing but lock and unlock is understood."""
    done = subprocess.run([sys.executable, "-I", SYSTEMD / "lock_console.py", "lokc"], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (2, b"usage: lock_console.py lock|unlock\n")


def sticks(folder: Path, facts: str) -> list[str]:
    """Return what the script of the sticks asked of the service manager while one of these facts was plugged in."""
    tools, blocks, request, asked = folder / "bin", folder / "block", folder / "wanted", folder / "asked"
    tools.mkdir()
    (blocks / "sda1").mkdir(parents=True)
    request.touch()
    listed = f"grep -qs mount {asked} && echo 'media-cabinet\\x2dsda1.mount loaded'"
    scripts = {
        "udevadm": f"printf '%s\\n' {facts}",
        "systemd-mount": f'echo "mount $*" >>{asked}',
        "systemctl": f'case $1 in stop) echo "stop $2" >>{asked} ;; *) {listed} ;; esac',
        "sleep": f"[ -e {asked}.again ] && rm {request}; touch {asked}.again",
    }
    for name, script in scripts.items():
        tool = tools / name
        tool.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        tool.chmod(0o755)
    environment = {
        "PATH": f"{tools}:{os.environ['PATH']}",
        "REQUEST": str(request),
        "BLOCKS": str(blocks),
        "MEDIA": "/media",
    }
    subprocess.run([SYSTEMD / "sticks"], env=environment, check=True)
    return asked.read_text(encoding="utf-8").splitlines() if asked.exists() else []


def test_a_stick_is_mounted_once_where_nothing_of_it_can_run_and_let_go_afterwards(tmp_path: Path) -> None:
    """No setuid, no devices, no programs; the supervisor's alone; unmounted when the menu closes."""
    mounted, stopped = sticks(tmp_path, "ID_BUS=usb ID_FS_TYPE=vfat")
    assert "rw,nosuid,nodev,noexec,uid=cabinet,gid=cabinet,umask=0077" in mounted
    assert mounted.endswith("/dev/sda1 /media/cabinet-sda1")
    assert stopped == "stop media-cabinet\\x2dsda1.mount"


@pytest.mark.parametrize("facts", ["ID_BUS=ata ID_FS_TYPE=vfat", "ID_BUS=usb ID_FS_TYPE=ext4", "ID_BUS=usb"])
def test_what_is_no_stick_is_left_alone(tmp_path: Path, facts: str) -> None:
    """The cabinet's own disk, a file system with owners of its own, a whole disk with partitions."""
    assert sticks(tmp_path, facts) == []


@pytest.mark.parametrize(
    ("configuration", "asked"),
    [
        ("[cabinet]\nname = 'x'\n", ""),
        ("[cabinet]\njournal = '/var/lib/cabinet/journal.sqlite'\n", ""),
        (
            "[cabinet]\njournal = '/data/b.sqlite'\n",
            "[Unit]\nRequiresMountsFor=/data\n[Service]\nReadWritePaths=-/data\n",
        ),
        ("[cabinet]\nsecond_copy = '/copy/c'\n", "[Service]\nReadWritePaths=-/copy\n"),
    ],
)
def test_the_unit_may_write_where_the_configuration_says_and_nowhere_else(
    tmp_path: Path, configuration: str, asked: str
) -> None:
    """Books on a disk of their own, a second copy on another; a copy that is missing keeps nothing from starting."""
    assert unit_options(tmp_path, configuration) == asked


def test_the_unit_sees_a_network_only_where_an_interface_may_be_switched(tmp_path: Path) -> None:
    """No network unless configured (issue 7)."""
    assert unit_options(tmp_path, "[cards]\nreader = 'wedge'\n") == "[Service]\nDeviceAllow=char-input r\n"
    assert unit_options(tmp_path, "[cards]\nreader = 'pcsc'\n") == ""
    assert "PrivateNetwork=no" in unit_options(tmp_path, "[network]\ninterface = 'eth0'\n")
    assert unit_options(tmp_path, "[network]\ninterface = ''\n") == ""


def test_the_unit_reaches_one_address_only_where_a_printer_is_there(tmp_path: Path) -> None:
    """Neither a printer on a line nor an address that is none opens anything; all else stays denied."""
    printer = "[ticket_printer]\nlink = '{}'\nport = '{}'\n"
    opened = unit_options(tmp_path, printer.format("network", "192.168.1.50:9100"))
    family, address = "RestrictAddressFamilies=AF_INET", "IPAddressAllow=192.168.1.50"
    assert opened == f"[Service]\nPrivateNetwork=no\n{family}\n{address}\n"
    for link, port in (("serial", "192.168.1.50:9100"), ("network", "any:9100"), ("network", "0.0.0.0/0:9100")):
        assert unit_options(tmp_path, printer.format(link, port)) == ""
    assert unit_options(tmp_path, printer.format("network", "192.168.1.50:9100"), "cabinet-update.service") == ""
    assert values("cabinet.service", "IPAddressDeny") == ["any"]


def test_the_updater_reaches_books_that_lie_elsewhere_and_nothing_more(tmp_path: Path) -> None:
    """It copies the journal; the second copy and the network are none of its business."""
    configuration = "[cabinet]\njournal = '/data/b.sqlite'\nsecond_copy = '/copy/c'\n[network]\ninterface = 'eth0'\n"
    asked = "[Unit]\nRequiresMountsFor=/data\n[Service]\nReadWritePaths=-/data\n"
    assert unit_options(tmp_path, configuration, "cabinet-update.service") == asked
    usual = "[cabinet]\nsecond_copy = '/copy/c'\n"
    assert unit_options(tmp_path, usual, "cabinet-update-boot.service") == ""


def unit_options(folder: Path, configuration: str, *unit: str) -> str:
    """Return the drop-in for a configuration."""
    file = folder / "cabinet.toml"
    file.write_text(configuration, encoding="utf-8")
    return subprocess.check_output([sys.executable, "-I", SYSTEMD / "unit_options.py", file, *unit], text=True)


def tree_on_trial(folder: Path, *, named: str) -> tuple[Path, Path]:
    """Make two programs and an intent that names one of them; return the launcher for them and what it writes."""
    program, state, said = folder / "opt/cabinet", folder / "state", folder / "said"
    state.mkdir()
    for name in ("cabinet", "cabinet.update"):
        python = folder / "opt" / name / "venv/bin/python"
        python.parent.mkdir(parents=True)
        python.write_text(f'#!/bin/sh\necho {name} "$@" >{said}\n', encoding="utf-8")
        python.chmod(0o755)
    mark = mark_of(folder / "opt" / named)
    intent = Intent(id="1", act=Act.INSTALL, old="1", new="2", tree=mark, migrations=("m1",))
    if mark:
        write(state / "intent.json", intent)
    text = (SYSTEMD / "update").read_text(encoding="utf-8")
    launcher = folder / "update"
    launcher.write_text(
        text.replace("/opt/cabinet", str(program)).replace("/var/lib/cabinet-update", str(state)), encoding="utf-8"
    )
    return launcher, said


@pytest.mark.parametrize(
    ("named", "judge"),
    [("cabinet", "cabinet.update"), ("cabinet.update", "cabinet"), ("nothing", "cabinet")],
)
def test_a_program_on_trial_does_not_judge_itself(tmp_path: Path, named: str, judge: str) -> None:
    """The updater is the one of the tree that is not on trial; without an intent the one that is in place."""
    launcher, said = tree_on_trial(tmp_path, named=named)
    subprocess.run(["/bin/sh", launcher, "boot"], check=True)
    assert said.read_text(encoding="utf-8").split() == [judge, "-m", "controller.features.update.updating", "boot"]


def test_a_bundle_without_a_key_is_not_made() -> None:
    """Nobody would take it."""
    environment = {name: value for name, value in os.environ.items() if name != "SIGNING_KEY"}
    done = subprocess.run([SYSTEMD / "make-bundle"], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, "SIGNING_KEY=FILE" in done.stderr) == (2, True)


def test_what_only_the_other_program_has_placed_goes_with_it(tmp_path: Path) -> None:
    """A unit that the newer version brought would be an added file to the older one; what both have stays."""
    calls = tmp_path / "calls"
    system = tmp_path / "usr/lib/systemd/system"
    system.mkdir(parents=True)
    for unit in ("both", "newer", "foreign"):
        (system / f"{unit}.service").touch()
    for name, units in (("cabinet", ("both",)), ("cabinet.previous", ("both", "newer"))):
        scripts = tmp_path / "opt" / name / "system"
        scripts.mkdir(parents=True)
        listed = "".join(f"echo {system}/{unit}.service\n" for unit in units)
        for script, does in (
            ("place", f'[ "$1" != --list ] && echo placed >>{calls} && exit\n{listed}'),
            ("setup", f"echo set up >>{calls}\n"),
        ):
            (scripts / script).write_text(f"#!/bin/sh\n{does}", encoding="utf-8")
            (scripts / script).chmod(0o755)
    text = (SYSTEMD / "settle").read_text(encoding="utf-8").replace("/opt/", f"{tmp_path}/opt/")
    (tmp_path / "settle").write_text(text, encoding="utf-8")
    subprocess.run(["/bin/sh", tmp_path / "settle"], check=True, capture_output=True)
    assert sorted(path.stem for path in system.iterdir()) == ["both", "foreign"]
    assert calls.read_text(encoding="utf-8").splitlines() == ["placed", "set up"]


ROOT = SYSTEMD.parent


class TwoPrograms:
    """A machine below `folder` with the program 2.0 and 1.0 beside it, whose scripts print their arguments."""

    def __init__(self, folder: Path, *, readable: bool = True) -> None:
        self.folder = folder
        self.calls = folder / "calls"
        for name, version in (("cabinet", "2.0"), ("cabinet.previous", "1.0")):
            self.program(folder / "opt" / name, version, readable=readable)

    def program(self, tree: Path, version: str, *, readable: bool = True) -> None:
        """Make a program tree."""
        (tree / "system").mkdir(parents=True)
        (tree / "venv/bin").mkdir(parents=True)
        (tree / "version").write_text(f"{version}\n", encoding="ascii")
        for name, does in (
            ("venv/bin/python", f'exec {sys.executable} "$@"'),
            ("system/settle", f"echo settled {version} >>{self.calls}"),
            ("system/place", f"echo placed {version} >>{self.calls}"),
            ("system/setup", f"echo set up {version} >>{self.calls}"),
        ):
            script = tree / name
            script.write_text(f"#!/bin/sh\n{does}\n", encoding="ascii")
            script.chmod(0o755)
        copies = tree / "system/journal_copies.py"
        copies.write_text(
            f"#!{sys.executable}\nimport sys\nopen({str(self.calls)!r}, 'a').write(' '.join(sys.argv[1:]) + '\\n')\n"
            f"sys.exit({int(not readable)} if sys.argv[1] == 'restore' else 0)\n",
            encoding="ascii",
        )
        copies.chmod(0o755)

    def run(self, script: str, *words: str) -> int:
        """Run one of the scripts as root, in a folder with a program that is none of ours; return its exit code."""
        foreign, tools = self.folder / "clone", self.folder / "bin"
        (foreign / "controller").mkdir(parents=True)
        (foreign / "controller/__init__.py").write_text("raise SystemExit('another program')\n", encoding="ascii")
        tools.mkdir()
        for name, does in (("id", "echo 0"), ("systemctl", "exit 3")):
            (tools / name).write_text(f"#!/bin/sh\n{does}\n", encoding="ascii")
            (tools / name).chmod(0o755)
        text = (SYSTEMD / script).read_text(encoding="utf-8")
        text = re.sub(r"(?<!\w)(/opt/|/var/lib/cabinet-update|/etc/cabinet|/run/systemd)", rf"{self.folder}\1", text)
        (self.folder / "scripts").mkdir()
        copied = self.folder / "scripts" / script
        copied.write_text(text, encoding="utf-8")
        for name in ("stage", "journal_copies.py"):
            (copied.parent / name).write_text(self.stand_in(name), encoding="ascii")
            (copied.parent / name).chmod(0o755)
        environment = {"PATH": f"{tools}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
        return subprocess.run(["/bin/sh", copied, *words], cwd=foreign, env=environment, check=False).returncode

    def stand_in(self, name: str) -> str:
        """Return what plays a script that the installation calls."""
        if name == "stage":
            self.program(self.folder / "made", "3.0")
            return f'#!/bin/sh\nmkdir -p "$1/opt" && mv {self.folder}/made "$1/opt/cabinet"\n'
        return f'#!/bin/sh\necho "$@" >>{self.calls}\n'

    def versions(self) -> dict[str, str]:
        """Return the trees that there are, by their names, each by its version."""
        trees = sorted((self.folder / "opt").iterdir())
        return {tree.name: (tree / "version").read_text("ascii").strip() for tree in trees}


def test_back_by_hand_has_the_two_programs_change_places(tmp_path: Path) -> None:
    """The journal is asked for what the older one knows, whatever program lies where the script is called."""
    machine = TwoPrograms(tmp_path)
    assert machine.run("go-back") == 0
    assert machine.versions() == {"cabinet": "1.0", "cabinet.previous": "2.0"}
    where, restored, settled = machine.calls.read_text(encoding="ascii").splitlines()
    assert where.startswith("where ")
    assert restored.split()[-len(NAMES) :] == list(NAMES)
    assert settled == "settled 1.0"


def test_back_by_hand_changes_nothing_where_the_journal_forbids_it(tmp_path: Path) -> None:
    """They change places again."""
    machine = TwoPrograms(tmp_path, readable=False)
    assert machine.run("go-back") == 1
    assert machine.versions() == {"cabinet": "2.0", "cabinet.previous": "1.0"}


def test_an_installation_puts_a_whole_program_in_the_place_of_another(tmp_path: Path) -> None:
    """The one of before is kept, the one before that goes, and nothing else is left."""
    machine = TwoPrograms(tmp_path)
    assert machine.run("install", "--no-packages") == 0
    assert machine.versions() == {"cabinet": "3.0", "cabinet.previous": "2.0"}
    assert machine.calls.read_text(encoding="ascii").splitlines()[1:] == [
        "keep  before-3.0",
        "placed 3.0",
        "set up 3.0",
    ]


@pytest.mark.parametrize("script", ["go-back", "install"])
def test_nobody_changes_the_program_under_the_updaters_hands(tmp_path: Path, script: str) -> None:
    """While an update is pending, both are refused and nothing is touched."""
    machine = TwoPrograms(tmp_path)
    (tmp_path / "var/lib/cabinet-update").mkdir(parents=True)
    (tmp_path / "var/lib/cabinet-update/intent.json").touch()
    assert machine.run(script) == 1
    assert machine.versions() == {"cabinet": "2.0", "cabinet.previous": "1.0"}
    assert not machine.calls.exists()


@pytest.mark.parametrize("script", ["go-back", "install", "settle"])
def test_no_script_leaves_the_machine_without_a_program(script: str) -> None:
    """What is in the program's place is moved away by nobody: two trees change places in one step."""
    assert not re.search(r"\bmv\b.*/opt/cabinet\b", (SYSTEMD / script).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("there", "left"),
    [
        ({"program": "1", "new": "2", "previous": "0"}, {"program": "2", "previous": "1"}),
        ({"program": "1", "new": "2"}, {"program": "2", "previous": "1"}),
        ({"new": "2"}, {"program": "2"}),
    ],
)
def test_a_tree_takes_the_place_of_another(tmp_path: Path, there: dict[str, str], left: dict[str, str]) -> None:
    """By the command that the installation uses; the first one of all has none to keep."""
    for name, version in there.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "version").write_text(version, encoding="ascii")
    trees = [str(tmp_path / name) for name in ("program", "new", "previous")]
    subprocess.run([sys.executable, "-m", "controller.features.update.trees", "replace", *trees], check=True)
    assert {path.name: (path / "version").read_text("ascii") for path in tmp_path.iterdir()} == left


def strays(tree: Path, listed: str) -> subprocess.CompletedProcess[str]:
    """Run `strays` on a tree with that list."""
    return subprocess.run([SYSTEMD / "strays", tree], input=listed, capture_output=True, text=True, check=False)


def test_what_no_package_lists_goes_and_all_else_stays(tmp_path: Path) -> None:
    """Files, folders, links and odd names that an update from a stick has left; what a link leads to is not touched."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("kept")
    tree = tmp_path / "cabinet"
    (tree / "venv/lib").mkdir(parents=True)
    for name in ("version", "venv/lib/game.py"):
        (tree / name).write_text(name)
    before = files(tree)
    listed = "\n".join(["/.", str(tree), *(str(path) for path in tree.rglob("*"))]) + "\n"
    (tree / "venv/lib/older game.py").write_text("stray")
    (tree / "venv/lib/-rf").write_text("stray")
    (tree / "venv/lib/*").write_text("stray")
    (tree / "venv/bin").mkdir()
    (tree / "venv/bin/cabinet").write_text("stray")
    (tree / "link").symlink_to(outside)
    done = strays(tree, listed)
    assert (done.returncode, done.stderr) == (0, "")
    assert files(tree) == before
    assert (outside / "kept").read_text() == "kept"


def test_a_list_that_is_not_of_this_tree_removes_nothing(tmp_path: Path) -> None:
    """A package manager that failed, or has no such package, must not empty the cabinet."""
    (tmp_path / "program").write_text("program")
    for listed in ("", "/opt/other\n"):
        done = strays(tmp_path, listed)
        assert done.returncode == 1
        assert "nothing is removed" in done.stderr
        assert (tmp_path / "program").exists()
