"""The dossier as a folder: one HTML file with all chapters, its PDF, what is attached, and a list of digests."""

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from html import escape
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from tempfile import TemporaryDirectory
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown import Markdown
from markdown.extensions.toc import slugify

from tests.dossier import chapters
from tests.dossier.chapter import Chapter, Run
from tests.dossier.tree import about

HERE = Path(__file__).parent
INDEX, PDF, DIGESTS = "index.html", "dossier.pdf", "SHA256SUMS"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
RELATIVE = re.compile(r'<a href="(?!https?:|#)([^"#]+)((?:#[^"]*)?)"[^>]*>(.*?)</a>', re.DOTALL)
WITHIN = re.compile(r'href="#([^"]+)"')
PICTURE = re.compile(r'<p><img [^>]*src="(?!https?:)[^"]+"[^>]*/?></p>|<img [^>]*src="(?!https?:)[^"]+"[^>]*/?>')
NO_PDF = "There is no PDF: no browser that prints was found (Debian: chromium). Print index.html instead."


def all_chapters() -> list[Chapter]:
    """Return the chapters in their order."""
    found = [import_module(f"{chapters.__name__}.{module.name}").CHAPTER for module in iter_modules(chapters.__path__)]
    return sorted(found, key=lambda chapter: chapter.order)


def write_book(run: Run, browser: str | None, progress: Callable[[str], None]) -> Path:
    """Write all chapters into the run's folder, and print them with `browser` if there is one; return the HTML file."""
    parts, open_items = [], [] if browser else [("", NO_PDF)]
    for number, chapter in enumerate(all_chapters(), start=1):
        progress(chapter.title)
        written = chapter.write(run)
        anchor = f"chapter-{number}"
        body, contents = rendered(written.text, anchor, run.out)
        parts.append({"number": number, "title": chapter.title, "anchor": anchor, "body": body, "contents": contents})
        open_items += [(anchor, item) for item in written.open]
    environment = Environment(loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined)
    page = environment.get_template("dossier.html.jinja").render(about=about(run.made), chapters=parts, open=open_items)
    index = run.out / INDEX
    index.write_text(page, "utf-8")
    if browser:
        progress("PDF")
        print_pdf(index, run.out / PDF, browser)
    (run.out / DIGESTS).write_text("".join(digests(run.out)), "utf-8")
    return index


def rendered(text: str, anchor: str, out: Path) -> tuple[str, list[dict[str, Any]]]:
    """Return a chapter as HTML with its headings below the first level, and those of the second for the contents."""

    def slug(words: str, separator: str) -> str:
        return f"{anchor}{separator}{slugify(words, separator)}"

    markdown = Markdown(
        extensions=["tables", "fenced_code", "toc", "attr_list"], extension_configs={"toc": {"slugify": slug}}
    )
    html = RELATIVE.sub(lambda link: relative_link(link, out), markdown.convert(text))
    html = WITHIN.sub(lambda link: own_link(link, anchor, html), html)
    contents = [
        {"anchor": token["id"], "title": token["name"]}
        for token in getattr(markdown, "toc_tokens", [])
        if token["level"] == 2
    ]
    return PICTURE.sub("", html), contents


def relative_link(link: re.Match[str], out: Path) -> str:
    """Return a link to a file of the dossier, of a page of docs/ to its copy there, or its words if there is none."""
    file = f"documents/{Path(link[1]).stem}.html" if link[1].endswith(".md") else link[1]
    return f'<a href="{escape(file)}{link[2]}">{link[3]}</a>' if (out / file).is_file() else link[3]


def own_link(link: re.Match[str], anchor: str, html: str) -> str:
    """Return a link to a heading of the same page as one to that heading in its chapter."""
    heading = f"{anchor}-{link[1]}"
    return f'href="#{heading}"' if f'id="{heading}"' in html else link[0]


def found_browser() -> str | None:
    """Return the path of a browser that prints, if one is installed."""
    return next((path for name in BROWSERS if (path := shutil.which(name)) is not None), None)


def print_pdf(page: Path, pdf: Path, browser: str) -> None:
    """Print a page; raise `CalledProcessError` if the browser does not."""
    with TemporaryDirectory() as profile:
        command = [browser, "--headless", "--disable-gpu", "--no-pdf-header-footer", f"--user-data-dir={profile}"]
        if os.geteuid() == 0:
            command.append("--no-sandbox")  # chromium refuses to run as root with one
        subprocess.run([*command, f"--print-to-pdf={pdf}", page.as_uri()], check=True, capture_output=True)
    if not pdf.is_file():
        raise FileNotFoundError(f"{browser} wrote no {pdf}")


def digests(out: Path) -> Iterator[str]:
    """Yield the lines of `sha256sum` for all files of the folder but that list itself."""
    for path in sorted(out.rglob("*")):
        if path.is_file() and path.name != DIGESTS:
            yield f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(out).as_posix()}\n"
