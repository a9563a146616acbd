"""The dossier holds every requirement with its result, what is open comes first, and every link leads somewhere."""

import hashlib
import re
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
from click.testing import CliRunner

from gamekit.catalogue import load
from tests.dossier.__main__ import dossier
from tests.dossier.book import DIGESTS, INDEX, NO_PDF, all_chapters, rendered, write_book
from tests.dossier.chapter import Run
from tests.dossier.chapters.forms import UNSIGNED
from tests.dossier.chapters.random_numbers import write as write_batteries
from tests.dossier.page import PAGE, excuses, requirements
from tests.dossier.results import FAILED, PASSED, SKIPPED, in_words, outcomes
from tests.dossier.tree import git, version
from tests.rigs.books import laid
from tests.rigs.paths import ROOT

TEXT = PAGE.read_text("utf-8")
NUMBERS = [requirement.number for requirement in requirements(TEXT)]
ENDED = {"P2": FAILED, "C3": SKIPPED}
UNRUN = "M7"
CASE = (
    '<testcase classname="tests.test_of_the_results" name="test_{0}[a]"><properties>'
    '<property name="requirement" value="{0}"/></properties>{1}</testcase>'
)
TAGS = {PASSED: "", FAILED: '<failure message="m"/>', SKIPPED: '<skipped message="m"/>'}


def results(folder: Path, ended: Mapping[str, str]) -> Path:
    """Write a file of results in which each requirement has one test, which ended so."""
    cases = "".join(CASE.format(number, TAGS[how]) for number, how in ended.items())
    file = folder / "junit.xml"
    suite = f'<testsuite timestamp="2026-01-02T03:04:05.678+00:00">{cases}</testsuite>'
    file.write_text(f"<testsuites>{suite}</testsuites>", "utf-8")
    return file


def run_in(folder: Path, *, samples: Path | None = None) -> Run:
    """Return a run with the results of this test and one game."""
    shown = [number for number in NUMBERS if number not in {UNRUN, *excuses(TEXT)}]
    folder.mkdir(exist_ok=True)
    file = results(folder, {number: ENDED.get(number, PASSED) for number in shown})
    return Run(
        out=folder,
        made=datetime(2026, 1, 2, tzinfo=UTC),
        outcomes=[*outcomes(file)],
        games=["neptune"],
        seed=1,
        spins=5_000,
        rounds=1_000,
        samples=samples,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dossier of those results, without a PDF."""
    out = tmp_path_factory.mktemp("dossier")
    write_book(run_in(out), None, lambda _title: None)
    return out


@pytest.fixture(scope="module")
def page(folder: Path) -> str:
    """Its HTML file."""
    return (folder / INDEX).read_text("utf-8")


def first_page(page: str) -> list[str]:
    """Return what is open."""
    header = page.partition("<nav>")[0]
    return [unescape(re.sub(r"<[^>]+>", "", item)) for item in re.findall(r"<li>(.*?)</li>", header)]


def test_every_requirement_is_in_it_with_its_result(page: str) -> None:
    """In the last cell of its row: passed, failed, skipped, not run, or shown by no test."""
    found = {}
    for number in NUMBERS:
        (row,) = re.findall(rf'<tr><td><b id="{number}">.*?</tr>', page, re.DOTALL)
        found[number] = re.sub(r"<[^>]+>", "", row.rpartition("<td>")[2]).strip()
    wanted = dict.fromkeys(NUMBERS, PASSED) | ENDED | {UNRUN: "not run"} | dict.fromkeys(excuses(TEXT), "no test")
    assert found == wanted


def test_failures_and_what_no_test_shows_come_first(page: str) -> None:
    """A failure first of all, then each requirement without a test that passed, with the reason."""
    said = first_page(page)
    numbers = [item.partition(":")[0] for item in said if re.match(r"[A-Z]\d+:", item)]
    assert numbers[0] == "P2"
    assert set(numbers) == {*ENDED, UNRUN, *excuses(TEXT)}
    assert any(item.startswith("P12: shown by no test (A surge or dip") for item in said)
    assert any(item.startswith(NO_PDF) for item in said)


class Links(HTMLParser):
    """Collects what links lead to, and what they may lead to."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: set[str] = set()
        self.anchors: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an address and a place."""
        for name, value in attrs:
            if name == "id":
                self.anchors.append(value or "")
            elif name in ("href", "src") and tag != "link":
                self.targets.add(value or "")


def test_every_link_leads_somewhere(folder: Path, page: str) -> None:
    """To one place of the page, or to a file of the folder; the contents name each chapter."""
    links = Links()
    links.feed(page)
    within = {target[1:] for target in links.targets if target.startswith("#")}
    files = {target for target in links.targets if not target.startswith(("#", "https://", "http://"))}
    assert len(set(links.anchors)) == len(links.anchors)
    assert within - set(links.anchors) == set()
    assert {f"chapter-{number}" for number in range(1, len(all_chapters()) + 1)} <= within
    assert [file for file in files if not (folder / unquote(file)).is_file()] == []
    assert {"par/neptune.html", "par/neptune.pdf", "files.csv", "samples/neptune-os.bin"} <= files


def test_a_fault_is_where_its_code_its_constant_or_its_exception_is_named(page: str) -> None:
    """A text, a constant of the code's own name, and the exception class that has the code."""
    detection = page[page.index("Where each is detected") :]
    for code, product, test in (
        ("coin_string", "drivers/cctalk/coin_codes.py", "tests/drivers/cctalk/test_coin_acceptor.py"),
        ("no_pin", "controller/", "tests/"),
        ("journal_busy", "controller/journal/errors.py", "tests/controller/journal/"),
    ):
        (row,) = re.findall(rf"<tr><td>{code}</td><td>(.*?)</td><td>(.*?)</td></tr>", detection)
        assert product in row[0]
        assert test in row[1]
        assert "tests/dossier" not in row[1]


def test_what_people_sign_is_filled_in_as_far_as_it_is_known(page: str) -> None:
    """Program and commit, each game with its number and hash, and lines for names; unsigned, it is open."""
    forms = page[page.index("To be printed, filled in and signed") :]
    for words in (
        f"cabinet {version()}",
        git("rev-parse", "HEAD"),
        load("neptune").maths_hash,
        "<td>signature</td><td>___",
    ):
        assert words in forms
    assert any(item.startswith(UNSIGNED) for item in first_page(page))
    assert first_page(page)[0].startswith(NO_PDF)


def test_every_event_is_in_it(page: str) -> None:
    """The core's and each feature's, with its words."""
    events = page[page.index("Faults are events too") :]
    for code, words in (
        ("power_up", "The program {how}"),
        ("archive_moved", "The archive {name} was moved to {stick} ({who})"),
    ):
        assert f"<tr><td>{code}</td><td>{words}</td>" in events


def test_every_table_of_the_books_is_in_it(page: str, tmp_path: Path) -> None:
    """With its columns; what a trigger refuses stands beside it."""
    with closing(sqlite3.connect(laid(tmp_path / "journal.sqlite"))) as books:
        columns = books.execute(
            "SELECT t.name, group_concat(c.name || ' ' || c.type, ', ') FROM sqlite_schema t"
            " JOIN pragma_table_info(t.name) c WHERE t.type = 'table' AND t.name NOT LIKE '@_%' ESCAPE '@'"
            " AND t.name NOT LIKE 'sqlite%' GROUP BY t.name"
        ).fetchall()
    assert len(columns) > 30
    assert [name for name, said in columns if f"<tr><td>{name}</td><td>{said}</td>" not in page] == []
    assert "<td>ledger rows follow each other without a gap<br>" in page


def test_the_digests_are_those_of_its_files(folder: Path) -> None:
    """Each file of the folder is in the list, but the list itself."""
    listed = dict(reversed(line.split("  ")) for line in (folder / DIGESTS).read_text("utf-8").splitlines())
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()} - {DIGESTS}
    assert listed == {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}


def test_the_batteries_are_repeated_from_the_bytes_that_are_kept(folder: Path, tmp_path: Path) -> None:
    """The same p-values of the operating system's generator and of the control."""
    again = write_batteries(run_in(tmp_path, samples=folder / "samples"))
    body, _ = rendered(again.text, "chapter-5", tmp_path)
    table = body[body.index("Every p-value") :].partition("</table>")[0]
    assert table.count("<tr>") > 100
    assert table in (folder / INDEX).read_text("utf-8")


def test_results_of_pytest_name_the_requirements_of_a_test(tmp_path: Path) -> None:
    """Those of the function's marker and those of its module's, case by case."""
    file = tmp_path / "junit.xml"
    command = [sys.executable, "-m", "pytest", "-n", "0", "-m", "requirement", "--junitxml", str(file)]
    subprocess.run([*command, "tests/controller/configuration/test_tower.py"], cwd=ROOT, check=True, timeout=600)
    found = [*outcomes(file)]
    assert {outcome.module for outcome in found} == {"tests.controller.configuration.test_tower"}
    assert all({"D11", "D12"} <= set(outcome.numbers) for outcome in found)
    assert {outcome.ended for outcome in found} == {PASSED}
    assert in_words(found) == f"passed, {len(found)} cases"


def test_a_folder_that_is_no_dossier_is_not_emptied(tmp_path: Path) -> None:
    """Nor one that holds the samples which are to be read; a quick run needs results."""
    kept = tmp_path / "kept.txt"
    kept.write_text("kept", "utf-8")
    file = results(tmp_path, {})
    quick = ["--quick", "--junit", str(file), "--out", str(tmp_path)]
    refused = CliRunner().invoke(dossier, quick)
    assert "is not empty and no dossier" in refused.output
    (tmp_path / DIGESTS).touch()
    (tmp_path / "samples").mkdir()
    within = CliRunner().invoke(dossier, [*quick, "--samples", str(tmp_path / "samples")])
    assert "is emptied first" in within.output
    without = CliRunner().invoke(dossier, ["--quick", "--out", str(tmp_path)])
    assert "--quick needs the results" in without.output
    assert {refused.exit_code, within.exit_code, without.exit_code} == {2}
    assert kept.read_text("utf-8") == "kept"
