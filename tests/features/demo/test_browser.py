"""The bench in Debian's chromium: a whole demo played at three widths."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait

from controller.features.demo.books import Books
from tests.rigs.paths import ROOT
from tests.rigs.patience import PATIENCE_S, until
from tests.rigs.venue_browser import browser, whole_picture

pytestmark = [pytest.mark.proof, pytest.mark.processes]

BAKED = ROOT / "build" / "baked"
PICTURES = ROOT / "build" / "bench-pictures"
"""Where the proof leaves its screenshots to be looked at."""
SIZES = [(390, 844), (1024, 768), (1920, 1080)]


@pytest.fixture
def run() -> Iterator[Path]:
    """The run directory of a demo that pays by ticket, whose bench is served."""
    with tempfile.TemporaryDirectory(prefix="cabinet-", dir="/tmp") as name:
        run = Path(name)
        command = (sys.executable, "-m", "controller", "demo", "--web", "--tickets", "--run", run, "--baked", BAKED)
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as demo:
            until(lambda: (run / "bench.url").exists() or demo.poll() is not None)
            try:
                yield run
            finally:
                demo.terminate()
                said, _ = demo.communicate(timeout=PATIENCE_S)
        assert demo.returncode == 0, said


class Page:
    """The page in a browser, and the books of the cabinet that it plays."""

    def __init__(self, run: Path, width: int, height: int) -> None:
        self.url = (run / "bench.url").read_text("ascii").strip()
        self.books = Books(run / "journal.sqlite")
        self.width = width
        self.driver = browser(width, height)
        self.driver.get(self.url)

    def until(self, script: str) -> None:
        """Wait until this expression of the page's is true."""
        WebDriverWait(self.driver, PATIENCE_S, poll_frequency=0.1).until(
            lambda page: page.execute_script(f"return Boolean({script})")
        )

    def click(self, name: str) -> None:
        """Click a part of the cabinet."""
        self.until(f"document.querySelector('[data-name={name}]')")
        part = self.driver.find_element(By.CSS_SELECTOR, f"[data-name={name}]")
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'end'})", part)
        part.click()

    def press(self, key: str) -> None:
        """Press a key of the keyboard."""
        ActionChains(self.driver).send_keys(key).perform()

    def lit(self, name: str) -> str:
        """Return an expression that says whether a button is lit."""
        return f"document.querySelector('[data-name={name}] img').src.match(/_1[01]\\.png/)"

    def shows(self, name: str, words: str) -> str:
        """Return an expression that says whether a part has these words."""
        return f"document.querySelector('[data-name={name}]').textContent.includes('{words}')"

    def picture(self, name: str) -> None:
        """Save what is seen, and the whole page."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(PICTURES / f"{self.width}-{name}.png"))

    def tray_cents(self) -> int:
        """Return the worth of the coins in the tray."""
        words = self.driver.find_element(By.CSS_SELECTOR, "[data-name=tray] .label").text
        return int(words.removesuffix(" €").replace(".", ""))

    def requested(self) -> list[str]:
        """Return the addresses that the browser has asked for."""
        entries: list[Any] = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [one["params"]["request"]["url"] for one in entries if one["method"] == "Network.requestWillBeSent"]


@pytest.fixture(params=SIZES, ids=lambda size: str(size[0]))
def page(run: Path, request: pytest.FixtureRequest) -> Iterator[Page]:
    opened = Page(run, *request.param)
    yield opened
    opened.driver.quit()


def pay(page: Page) -> None:
    """Put a note of 20 in, again if the validator was not ready for it."""
    page.click("note_2000")
    returned = "document.querySelector('[data-name=bill_return]:not(:has(.label)) .clip')"
    while not page.books.credit_cents:
        if page.driver.execute_script(f"return {returned}"):
            page.click("bill_return")
            page.until(f"!{returned}")
            page.click("note_2000")
        page.until(f"{returned} || {page.shows('counts', '20.00')}")


def spin(page: Page) -> None:
    """Play a round: the first press opens the game."""
    played = page.books.rounds_played
    while page.books.rounds_played == played:
        page.until(page.lit("spin"))
        page.press(" ")
    page.until(page.lit("spin"))


def collect(page: Page) -> None:
    """Press COLLECT until all is paid: a press while a show ends is dropped."""

    def paid(_driver: object) -> bool:
        if page.driver.execute_script(f"return Boolean({page.lit('collect')})"):
            page.press("c")
        return not page.books.credit_cents

    WebDriverWait(page.driver, PATIENCE_S, poll_frequency=2).until(paid)


def put_in(page: Page) -> None:
    """Put the ticket in, again if the validator gave it back because it was not ready for it."""

    def credited(_driver: object) -> bool:
        page.driver.execute_script("document.querySelector('#slips button')?.click()")
        return page.books.credit_cents > 0

    WebDriverWait(page.driver, PATIENCE_S, poll_frequency=3).until(credited)


def test_a_note_a_round_a_crash_and_a_ticket(page: Page) -> None:
    """A note is credited, a round played, a crash resumed, a ticket taken and put in; nothing overflows."""
    page.until("document.getElementById('glass').dataset.number > 0")
    page.until("document.getElementById('role').textContent.includes('you play')")
    page.picture("attract")
    pay(page)
    spin(page)
    page.until("!document.querySelector('[data-name=meter_games] .wheels').getAttribute('aria-label').endsWith('0')")
    page.picture("round")
    credit = page.books.credit_cents
    page.click("crash")
    page.until("document.body.classList.contains('dark')")
    page.picture("dark")
    # the lamps stay as they were until the new supervisor has them
    page.until(f"!{page.lit('service')}")
    page.until("!document.body.classList.contains('dark')")
    page.until(page.lit("collect"))
    assert page.books.credit_cents == credit
    page.picture("resumed")
    page.click("main_door")
    page.until("document.querySelector('[data-name=main_door]').getAttribute('aria-pressed') === 'true'")
    page.picture("door")
    page.click("main_door")
    collect(page)
    page.until("/: \\d{18}/.test(document.getElementById('slips').textContent)")
    page.until("[...document.querySelectorAll('#slips img')].every(one => one.naturalWidth > 0)")
    whole_picture(page.driver, PICTURES / f"{page.width}-ticket-whole.png")
    page.driver.execute_script("document.getElementById('take').click()")
    put_in(page)
    # a printer that is not ready again after the crash leaves the coins to the hopper
    assert page.books.credit_cents + page.tray_cents() == credit
    Select(page.driver.find_element(By.ID, "device")).select_by_value("bill")
    Select(page.driver.find_element(By.ID, "fault")).select_by_value("jam_in_stacker")
    page.driver.find_element(By.CSS_SELECTOR, "#faults button[value=begin]").click()
    page.click("note_500")
    page.until("document.querySelector('[data-name=bill_return] .label')?.textContent === 'stuck'")
    page.picture("stuck")
    assert page.driver.execute_script("return document.documentElement.scrollWidth") <= page.width
    assert [entry["message"] for entry in page.driver.get_log("browser")] == []
    assert [url for url in page.requested() if not url.startswith((page.url, "ws:", "data:", "blob:", "chrome:"))] == []
