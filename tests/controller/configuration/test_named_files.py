"""No two keys of a cabinet.toml name one file, whatever links, mounts and `..` lead to it."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec import inspect

from controller.configuration.cabinet_toml import ConfigurationError, load, whole_file
from controller.configuration.named_files import PATHS, named_files
from tests.rigs.configurations import SMALLEST, problems

BOOKS, COPY = "books/journal.sqlite", "copy/journal.copy"


class Machine:
    """A cabinet's folders, and a configuration of them in which a test changes keys."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("books", "copy", "run", "keys"):
            (folder / name).mkdir()

    def at(self, name: str) -> Path:
        """A path in the folder; not resolved."""
        return Path(f"{self.folder}/{name}")

    def problems(self, *, tables: str = "", **site: str) -> dict[str, str]:
        """The problems by key, with these keys of `[cabinet]`: paths in the folder."""
        paths = {"journal": BOOKS, "second_copy": COPY, "run_dir": "run", **site}
        lines = [f'{key} = "{self.at(path) if path else ""}"' for key, path in paths.items()]
        file = self.folder / "cabinet.toml"
        file.write_text("\n".join(["[cabinet]", *lines, SMALLEST, tables.replace("AT", str(self.folder))]))
        try:
            load(file)
        except ConfigurationError as error:
            return {problem.key: problem.text for problem in error.problems}
        return {}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine whose journal is there."""
    machine = Machine(tmp_path)
    machine.at(BOOKS).write_bytes(b"SQLite format 3\x00")
    return machine


def test_files_of_their_own_are_fine(machine: Machine) -> None:
    """Journal, key, copy, archive and sockets in folders of their own, and the key beside the journal."""
    assert machine.problems() == {}
    assert machine.problems(key=f"{BOOKS}.key") == {}
    assert machine.problems(key="keys/cabinet.key", tables='[storage]\narchive = "AT/archive"') == {}
    assert machine.problems(tables='[storage]\narchive = "AT/books/archive"') == {}
    assert machine.problems(second_copy="") == {}


ENDS = ("", "-wal", "-shm", "-journal", ".head", ".lock", ".pins", ".cards", ".new", ".new.part", ".key", ".key.new")


@pytest.mark.parametrize("end", [*ENDS, ".key.old", ".key.old-2", ".sealed-0001", ".lost-0003", ".pins.damaged"])
def test_no_copy_has_the_name_of_a_file_of_the_books(machine: Machine, end: str) -> None:
    """The journal itself, what SQLite and the program have beside it, and what they put aside."""
    assert "give each its own" in machine.problems(second_copy=BOOKS + end)["cabinet.second_copy"]


@pytest.mark.parametrize("end", ["", "-wal", ".head", ".pins"])
def test_no_key_has_the_name_of_a_file_of_the_books(machine: Machine, end: str) -> None:
    """A start would read the journal as a key, or write the key over a mark."""
    assert "cabinet.journal" in machine.problems(key=BOOKS + end)["cabinet.key"]


def test_what_is_written_aside_is_nobodys_file(machine: Machine) -> None:
    """A copy is written as `.part` first."""
    assert machine.problems(journal=f"{COPY}.part", second_copy=COPY).keys() == {"cabinet.second_copy"}


WAYS: dict[str, Callable[[Machine], str]] = {}


def way(function: Callable[[Machine], str]) -> Callable[[Machine], str]:
    """A way to name the journal by another path."""
    WAYS[function.__name__] = function
    return function


@way
def dots(_machine: Machine) -> str:
    """By a folder and back."""
    return f"copy/../{BOOKS}"


@way
def symbolic_link(machine: Machine) -> str:
    """By a link to the file."""
    machine.at(COPY).symlink_to(machine.at(BOOKS))
    return COPY


@way
def link_to_nothing_yet(machine: Machine) -> str:
    """By a link to a file that the journal will have beside it."""
    machine.at(COPY).symlink_to(machine.at(f"{BOOKS}-wal"))
    return COPY


@way
def linked_folder(machine: Machine) -> str:
    """By a link to the folder."""
    machine.at("medium").symlink_to(machine.at("books"))
    return "medium/journal.sqlite"


@way
def hard_link(machine: Machine) -> str:
    """By a second name of the file."""
    machine.at(COPY).hardlink_to(machine.at(BOOKS))
    return COPY


@way
def hard_link_of_the_mark(machine: Machine) -> str:
    """By a second name of the journal's mark."""
    machine.at(f"{BOOKS}.head").write_bytes(b"")
    machine.at(COPY).hardlink_to(machine.at(f"{BOOKS}.head"))
    return COPY


@pytest.mark.parametrize("name", WAYS)
def test_other_ways_to_the_same_file_are_found(machine: Machine, name: str) -> None:
    """A path is where it leads."""
    assert "cabinet.journal" in machine.problems(second_copy=WAYS[name](machine))["cabinet.second_copy"]


def test_a_chain_of_links_that_ends_nowhere_is_no_error(machine: Machine) -> None:
    """A loop leads to no file."""
    machine.at(COPY).symlink_to(machine.at(COPY))
    assert machine.problems() == {}


@pytest.mark.parametrize(
    ("site", "tables", "key"),
    [
        ({"second_copy": "cabinet.toml"}, "", "cabinet.second_copy"),
        ({"journal": "cabinet.toml"}, "", "cabinet.journal"),
        ({"key": COPY}, "", "cabinet.second_copy"),
        ({"second_copy": "run/copy"}, "", "cabinet.run_dir"),
        ({"second_copy": "run/coin_acceptor.7.window"}, 'factory = "simulated"', "cabinet.run_dir"),
        ({"second_copy": "run/sticks-wanted"}, 'factory = "simulated"', "cabinet.run_dir"),
        ({"second_copy": "run/end-display"}, 'factory = "simulated"', "cabinet.run_dir"),
        ({"second_copy": "books/bundles/copy"}, "", "cabinet.second_copy"),
        ({"second_copy": "books/archive"}, "", "cabinet.second_copy"),
        ({"second_copy": f"{BOOKS}.key"}, "", "cabinet.second_copy"),
        ({"journal": "archive/books-0001-0001.sqlite"}, '[storage]\narchive = "AT/archive"', "storage.archive"),
        ({}, '[storage]\narchive = "AT/run"', "cabinet.run_dir"),
        ({}, '[display]\nbaked = "AT/books"', "display.baked"),
        ({}, '[display]\nbaked = "AT"', "display.baked"),
        ({}, '[games]\nfolder = "AT/copy"', "games.folder"),
        ({}, '[coin_acceptor]\nport = "AT/books/journal.sqlite"', "coin_acceptor.port"),
        ({}, '[ticket_printer]\nport = "AT/copy/journal.copy"\nlink = "usb"', "ticket_printer.port"),
    ],
)
def test_each_kind_of_path_is_compared_with_each_other(
    machine: Machine, site: dict[str, str], tables: str, key: str
) -> None:
    """The file itself, copies, archives, sockets, art, games and ports: the later key is named."""
    assert "give each its own" in machine.problems(tables=tables, **site)[key]


def test_nothing_of_a_cabinets_lies_in_the_programs_folders() -> None:
    """An update replaces them."""
    found = problems(f'{SMALLEST}[cabinet]\njournal = "/opt/cabinet/journal.sqlite"\n')
    assert found == [
        "cabinet.journal: is /opt/cabinet/journal.sqlite, which is in a folder of the program; give each its own"
    ]


def test_a_folder_is_no_file(machine: Machine) -> None:
    """A journal that is a folder, and an archive that is a file."""
    assert machine.problems(journal="books")["cabinet.journal"].endswith("which is a folder; name a file in it")
    machine.at("note").write_text("")
    found = machine.problems(tables='[storage]\narchive = "AT/note"')
    assert found["storage.archive"].endswith("which is a file; name a folder")


@pytest.mark.parametrize("key", PATHS)
def test_paths_do_not_depend_on_where_the_program_starts(key: str) -> None:
    """A relative one would be another file for each command."""
    table, _, name = key.partition(".")
    is_list = key == "export.roots"
    text = '["some/file"]' if is_list else '"some/file"'
    assert problems(f"{SMALLEST}[{table}]\n{name} = {text}\n") == [
        f"{key}{'[0]' if is_list else ''}: is 'some/file'; give the whole path, from / on"
    ]


WORDS = {
    *("cabinet.name", "cabinet.number", "cabinet.location", "network.interface", "tickets.lines"),
    *("games.enabled", "games.default", "display.shape", "display.scale", "display.compose"),
    *("cabinet.language", "cabinet.dates", "cabinet.console", "cards.device", "cards.keys", "pins.factory"),
    *(f"cabinet.money.{name}" for name in ("currency", "country", "symbol", "decimal", "thousands")),
    *("coin_acceptor.port", "coin_acceptor.protocol", "bill_validator.port", "bill_validator.protocol"),
    *("bill_validator.parity", "bill_validator.encryption", "bill_validator.ssp_key", "bill_validator.cctalk_key"),
    *("hopper.port", "hopper.protocol", "hopper.security", "hopper.pin", "hopper.ssp_key"),
    *(f"ticket_printer.{name}" for name in ("port", "protocol", "link", "profile")),
    *("venue.host", "venue.name", "host_port.port", "host_port.link", "host_port.may"),
    *("host_port_2.port", "host_port_2.link", "host_port_2.may"),
}
"""The keys whose text is no path of ours: words, names and devices."""


def texts(kind: inspect.Type, key: str = "") -> Iterator[str]:
    """Yield each key below `key` that holds text of the operator's."""
    match kind:
        case inspect.UnionType():
            for part in kind.types:
                yield from texts(part, key)
        case inspect.StructType():
            for field in kind.fields:
                yield from texts(field.type, f"{key}.{field.encode_name}" if key else field.encode_name)
        case inspect.VarTupleType():
            yield from texts(kind.item_type, key)
        case inspect.StrType():
            yield key


def test_each_text_is_known_to_be_a_path_or_none() -> None:
    """A new key of text is in one of the lists: a path that is in none would be checked by nobody."""
    known = set(texts(inspect.type_info(whole_file())))
    assert set(PATHS) <= known
    assert {key for key in known - set(PATHS) - WORDS if not key.startswith("pins.")} == set()


def test_each_path_is_compared_with_the_others(tmp_path: Path) -> None:
    """Each key of a path, and each port, is among what a configuration names."""
    fields = {key: ["/a"] if key == "export.roots" else f"/{key}" for key in (*PATHS, "hopper.port")}
    named = {one.key.partition("[")[0] for one in named_files(fields, tmp_path / "cabinet.toml")}
    assert named >= {*PATHS, "hopper.port"}


@pytest.mark.parametrize("path", ["/dev/null", "/proc/self/x", "/sys/x", "/dev/x", "/dev/../dev/x", "/dev/stdin"])
@pytest.mark.parametrize("key", ["cabinet.journal", "cabinet.second_copy", "storage.archive", "cabinet.run_dir"])
def test_nothing_of_ours_lies_where_the_kernel_has_its_own(tmp_path: Path, key: str, path: str) -> None:
    """No device is a file, and what is written there is lost."""
    assert kept_at(tmp_path, key, path).keys() == {key}


def test_dev_shm_is_a_file_system(tmp_path: Path) -> None:
    """It is memory like /run; the rest of /dev is not."""
    assert kept_at(tmp_path, "storage.archive", "/dev/shm/some/archive") == {}  # noqa: S108 - nothing is written


@pytest.mark.parametrize("key", ["cabinet.journal", "cabinet.key", "cabinet.second_copy", "storage.archive"])
def test_nothing_lies_in_a_file(tmp_path: Path, key: str) -> None:
    """Nor is a pipe a file, nor a name that ends as a folder's does."""
    (tmp_path / "note").write_text("")
    (found,) = kept_at(tmp_path, key, f"{tmp_path}/note/x/y").values()
    assert found.endswith(f"and {tmp_path}/note is a file, in which nothing can lie; name another place")
    os.mkfifo(tmp_path / "pipe")
    assert kept_at(tmp_path, key, f"{tmp_path}/pipe").keys() == {key}
    if key != "storage.archive":
        for end in ("/", "/.", "/.."):
            assert kept_at(tmp_path, key, f"{tmp_path}/missing{end}").keys() == {key}


@pytest.mark.parametrize("path", ["/", "//", "/.", "/..", "//etc", "/" + "x" * 5000, "/x" * 3000])
@pytest.mark.parametrize("key", [*PATHS, "coin_acceptor.port"])
def test_any_path_has_an_answer(tmp_path: Path, key: str, path: str) -> None:
    """The top folder has no folder above it, and a name may be longer than any file's."""
    found = kept_at(tmp_path, key, path)
    if key in ("cabinet.journal", "cabinet.second_copy", "coin_acceptor.port") or len(path) > 10:
        assert key in found


@pytest.mark.parametrize(("path", "what"), [("/dev/null", "memory"), ("/dev/tty", "a terminal"), ("note", "no device")])
def test_a_port_is_a_character_device(tmp_path: Path, path: str, what: str) -> None:
    """Neither a file nor memory answers; a missing one may be plugged in later."""
    (tmp_path / "note").write_text("")
    simulated = SMALLEST.replace("[pins]", '[pins]\nfactory = "simulated"')
    (found,) = kept_at(tmp_path, "coin_acceptor.port", str(tmp_path / path), simulated).values()
    assert f"which is {what}" in found
    assert kept_at(tmp_path, "coin_acceptor.port", "/dev/serial/by-path/missing-port0") == {}


def kept_at(folder: Path, key: str, path: str, rest: str = SMALLEST) -> dict[str, str]:
    """The problems by key of a configuration whose `key` is this path."""
    table, _, name = key.partition(".")
    file = folder / "cabinet.toml"
    text = f'["{path}"]' if key == "export.roots" else f'"{path}"'
    file.write_text(f"{rest}[{table}]\n{name} = {text}\n")
    try:
        load(file)
    except ConfigurationError as error:
        return {problem.key.partition("[")[0]: problem.text for problem in error.problems}
    return {}
