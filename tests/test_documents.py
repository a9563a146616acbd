"""The documents: links, commands and pages of the menu exist, lines are short, and the site asks nobody outside."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from html import unescape
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import click
import pytest
import yaml

from controller.cli import main
from controller.service import tree
from tests.rigs.needing import skip
from tests.rigs.paths import ROOT

PAGES = sorted((ROOT / "docs").glob("*.md"))
DOCUMENTS = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")] + PAGES
MOST_WORDS = 45_000
WIDEST = 120
LONGEST_CELL = 160
CARD = "attendant-card.md"
"""Its table has the steps of a task in a cell, and its words are those of the screen."""
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
LISTED = re.compile(r"^\s*(?:[-*]|\d+\.) ")


class Line(NamedTuple):
    """A line of a page: its number from 1, its text, and whether it is code."""

    number: int
    text: str
    is_code: bool


def lines(path: Path) -> Iterator[Line]:
    """Yield the lines of a page; code is fenced, or indented by four after a blank line outside of a list."""
    fenced = listed = False
    for number, text in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if text.lstrip().startswith("```"):
            fenced = not fenced
            yield Line(number, text, is_code=True)
            continue
        if not fenced and text and not text.startswith(" "):
            listed = bool(LISTED.match(text))
        indent = 8 if listed else 4
        yield Line(number, text, is_code=fenced or text.startswith(" " * indent))


def prose(path: Path) -> str:
    """Return a page without its code blocks."""
    return "\n".join(line.text for line in lines(path) if not line.is_code)


@cache
def anchors(path: Path) -> frozenset[str]:
    """Return what a link into a page may name: its headings, as GitHub and the site write them."""
    headings = re.findall(r"^#+ (.+)$", prose(path), re.MULTILINE)
    bare = (re.sub(r"[^\w\s-]", "", heading).strip().lower() for heading in headings)
    return frozenset(re.sub(r"[\s]+", "-", words) for words in bare)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_leads_somewhere(path: Path) -> None:
    """To a file of the tree and a heading of it; other addresses are https or http."""
    wrong = []
    for match in LINK.finditer(prose(path)):
        target, _, anchor = (match[1] or match[2]).partition("#")
        if target.startswith(("https://", "http://")):
            continue
        file = path.parent / target if target else path
        if not file.exists() or (anchor and anchor not in anchors(file.resolve())):
            wrong.append(match[0])
    assert wrong == []


FILE = re.compile(r"`((?:common|controller|docs|drivers|gamekit|games|image|systemd|tests|ui|venue)/[\w./-]+)`")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_file_that_a_page_names_is_there(path: Path) -> None:
    """A module that moved takes its mention along."""
    assert [named for named in FILE.findall(path.read_text("utf-8")) if not (ROOT / named).exists()] == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_no_line_is_wider_than_a_reader_takes_in(path: Path) -> None:
    """Tables, code and lines with an address apart; a cell is at most a short sentence."""
    texts = [line for line in lines(path) if not line.is_code]
    wide = [line.number for line in texts if len(line.text) > WIDEST and line.text.lstrip()[:1] != "|"]
    assert [number for number in wide if "](http" not in texts_by_number(path)[number]] == []
    cells = [
        cell
        for line in texts
        if line.text.lstrip().startswith("|") and path.name != CARD
        for cell in re.split(r"(?<!\\)\|", line.text)
    ]
    assert [cell for cell in cells if len(re.sub(r"\]\([^)]*\)|`test_\w+`,?", "", cell).strip()) > LONGEST_CELL] == []


def texts_by_number(path: Path) -> dict[int, str]:
    """Return the lines of a page by their number."""
    return {line.number: line.text for line in lines(path)}


def test_the_documents_stay_short() -> None:
    """As `wc -w` counts README and pages; the fault model is a list made from code, looked up row by row."""
    read = [ROOT / "README.md", *(path for path in PAGES if path.name != "fault-model.md")]
    words = {path.name: len(path.read_text("utf-8").split()) for path in read}
    assert sum(words.values()) <= MOST_WORDS, words


def test_every_page_has_its_place_in_the_site() -> None:
    """Once, in one of three parts."""
    first, *parts = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]
    assert [name for part in parts for name in part] == ["Use", "Build and run", "Change"]
    placed = [first, *(page for part in parts for pages in part.values() for page in pages)]
    assert sorted(placed) == [path.name for path in PAGES]


def spoken(path: Path) -> Iterator[str]:
    """Yield what a page has in code: spans, and lines of blocks."""
    for line in lines(path):
        yield from [line.text] if line.is_code else re.findall(r"`([^`]+)`", line.text)


COMMAND = re.compile(r"(?:^\s*(?:\$ )?|sudo |-- )cabinet((?: --games \S+)?(?: [a-z][a-z-]+)+)(.*)")


def unknown_command(said: str) -> str | None:
    """Return what is no command, or no option of one, in `cabinet COMMAND … --option`; None where all of it exists."""
    match = COMMAND.search(said)
    if match is None:
        return None
    words = re.sub(r" --games \S+", "", match[1]).split()
    command: click.Command = main
    for word in words:
        if not isinstance(command, click.Group):
            break
        found = command.get_command(click.Context(command), word)
        if found is None:
            return said
        command = found
    if command.ignore_unknown_options or command.context_settings.get("ignore_unknown_options"):
        return None  # another program reads them
    options = {name for param in command.params for name in (*param.opts, *param.secondary_opts)} | {"--help"}
    rest = re.split(r"\s#|  |[|;]|&&", match[2])[0]
    strange = [name for name in re.findall(r"(?<![\w-])--[a-z-]+", rest) if name not in options]
    return said if strange else None


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_command_that_a_page_names_exists(path: Path) -> None:
    """`cabinet COMMAND`, with its options, and `make TARGET`."""
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = set(re.findall(r"^([a-z-]+)(?: [a-z-]+)*:", makefile, re.MULTILINE))
    targets |= {word for rule in re.findall(r"^([a-z -]+):", makefile, re.MULTILINE) for word in rule.split()}
    asked = {target for said in spoken(path) for target in re.findall(r"(?:^|\bsudo |\s)make ([a-z-]+)", said)}
    assert asked - targets == set()
    assert [said for said in spoken(path) if unknown_command(said)] == []


def test_a_command_or_option_that_there_is_not_is_noticed() -> None:
    """The check itself: a wrong command, a wrong option, and right ones."""
    assert unknown_command("cabinet chekc-config FILE")
    assert unknown_command("cabinet venue opne")
    assert unknown_command("sudo cabinet export JOURNAL FOLDER --table")
    assert unknown_command("cabinet --games ~/games par GAME --format html") is None
    assert unknown_command("sudo runuser -u cabinet -- cabinet audit JOURNAL --all") is None


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_page_of_the_menu_that_is_named_exists(path: Path) -> None:
    """A.8, or the third row of U.7 as U.7.3."""
    named = set(re.findall(r"(?<![\w.])([AMHUTC]\.\d+)(?:\.\d+)?\b", path.read_text("utf-8")))
    assert named - tree.pages().keys() == set()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as `make docs` builds it; a broken link, anchor or picture ends the build."""
    if find_spec("mkdocs") is None:
        skip("MkDocs is not installed", "pip install -c constraints.txt -e '.[docs]'")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


class Fetched(HTMLParser):
    """Collects the addresses that a browser fetches by itself with a page: all but those of links to follow."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the sources of a tag; `href` fetches in `link` and in pictures, and leads elsewhere in `a`."""
        for name, value in attrs:
            if name in ("src", "srcset", "data", "poster", "action") or (name == "href" and tag != "a"):
                self.addresses.append(value or "")
            if name == "style" and "url(" in (value or ""):
                self.addresses += re.findall(r"url\(([^)]*)\)", value or "")


def test_the_site_shows_the_files_of_an_example(site: Path) -> None:
    """A page that includes a file (`--8<--`) has its text."""
    page = unescape(re.sub(r"<[^>]+>", "", (site / "adding-a-game.html").read_text("utf-8")))
    for name in ("play.py", "maths.py"):
        assert (ROOT / "docs" / "examples" / "echo" / name).read_text("utf-8") in page


OUTSIDE = re.compile(r"^\s*(?:https?:)?//")


def test_the_site_asks_nobody_outside(site: Path) -> None:
    """No page, style or script of it fetches from another address, whatever fonts or tools the theme knows of."""
    pages = list(site.rglob("*.html"))
    assert len(pages) > len(PAGES)
    fetched = Fetched()
    for page in pages:
        text = page.read_text("utf-8")
        fetched.feed(text)
        assert 'class="mermaid"' not in text, "the theme would fetch a library for a diagram: draw it as SVG"
    assert [address for address in fetched.addresses if OUTSIDE.match(address)] == []
    for style in site.rglob("*.css"):
        text = style.read_text("utf-8")
        assert "@import" not in text
        assert [url for url in re.findall(r"url\(['\"]?([^)'\"]*)", text) if OUTSIDE.match(url)] == []


ON_DEMAND = {"api.github.com", "unpkg.com"}
"""Whom the theme's scripts know: for a repository's figures and for diagrams, neither of which the site has."""


def test_the_sites_scripts_know_no_other_address(site: Path) -> None:
    """A new version of the theme that fetches something else shows here."""
    scripts = "\n".join(script.read_text("utf-8") for script in site.rglob("*.js"))
    known = set(re.findall(r"[\"'`]https?://([\w.-]+)", scripts))
    assert known - {"www.w3.org"} <= ON_DEMAND
    assert "repo_url" not in (ROOT / "mkdocs.yml").read_text("utf-8")


def test_the_site_is_searched_without_a_server_of_ours(site: Path) -> None:
    """The index is a file of the site, and has the words of a fault's remedy."""
    index = (site / "search" / "search_index.json").read_text("utf-8")
    assert "hopper_runaway" in index
    assert "lost+found" in index
