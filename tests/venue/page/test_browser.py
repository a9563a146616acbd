"""The page in Debian's chromium: every page at three widths and in both languages; keyboard, accessibility, network."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.hashers import make_password
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from tests.rigs.patience import PATIENCE_S
from tests.rigs.postgres import VenueDatabase
from tests.rigs.round_records import record
from tests.rigs.venue_browser import WIDTHS, ServedPage, browser, log_in, whole_picture
from tests.rigs.venue_page import PASSWORD, account, logged_in
from venue.page.roles import Role

pytestmark = pytest.mark.proof

Open = Callable[..., webdriver.Chrome]
Record = Callable[[str, object], None]
PICTURES = Path(__file__).parents[3] / "build" / "venue-pictures"
"""Where the proof leaves its screenshots to be looked at."""
PAGES = (
    "/",
    "/jackpots/",
    "/jackpots/1/",
    "/money/",
    "/money/collections/",
    "/money/collections/1/",
    "/money/months/",
    "/money/tickets/",
    "/tickets/",
    "/tickets/2/",
    "/events/",
    "/events/past/",
    "/events/rules/",
    "/events/rules/fault/",
    "/events/channels/add",
    "/rounds/",
    "/rounds/1/1001/",
    "/software/",
    "/software/1/",
    "/software/2/",
    "/cabinets/",
    "/cabinets/1/",
    "/account/",
    "/accounts/",
    "/accounts/add",
    "/accounts/acts/",
    "/wall/",
)
RECOVERING = ("/", "/jackpots/", "/jackpots/1/", "/jackpots/recovery/", "/wall/")
"""What shows a recovery in progress."""


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """axe-core's script, from npm."""
    folder = tmp_path_factory.mktemp("npm")
    subprocess.run(
        ["npm", "install", "--silent", "--no-audit", "--no-fund", "axe-core@4"],
        cwd=folder,
        check=True,
        capture_output=True,
        timeout=PATIENCE_S,
    )
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text()


@pytest.fixture
def served(floor: VenueDatabase, tmp_path: Path) -> Iterator[ServedPage]:
    """The page, served, with a full floor whose cabinets beat."""
    stop = threading.Event()

    def beat() -> None:
        while not stop.wait(2):
            with floor.connect() as admin:
                admin.execute("UPDATE venue.status SET at = clock_timestamp() WHERE cabinet <> 6")

    beats = threading.Thread(target=beat)
    beats.start()
    try:
        with ServedPage(floor, tmp_path) as site:
            yield site
    finally:
        stop.set()
        beats.join()


@pytest.fixture
def session(served: ServedPage) -> str:
    """An administrator's session."""
    return logged_in(Role.ADMINISTRATOR, "anna").cookies["sessionid"].value


@pytest.fixture
def opened(served: ServedPage, session: str) -> Iterator[Open]:
    """Opens browsers that are logged in, and closes them."""
    found: list[webdriver.Chrome] = []

    def opened(width: str = "desk", language: str = "en", *, dark: bool = False) -> webdriver.Chrome:
        found.append(browser(*WIDTHS[width], dark=dark, language=language))
        log_in(found[-1], served.url, session)
        return found[-1]

    yield opened
    for one in found:
        one.quit()


def requested(page: webdriver.Chrome) -> list[str]:
    """Return the addresses that the browser has asked for."""
    entries: list[Any] = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    return [entry["params"]["request"]["url"] for entry in entries if entry["method"] == "Network.requestWillBeSent"]


def found_at(served: ServedPage, opened: Open, axe: str, pages: tuple[str, ...], *at: str) -> list[str]:
    """Return what is wrong with these pages in that width and language, light and dark; leave their pictures."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    width, language, *prefix = at
    troubles: list[str] = []
    for dark in (False, True):
        page = opened(width, language, dark=dark)
        # The test's own script is let past the policy, which `requested` and the log watch over in any case.
        page.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})
        for address in pages:
            page.get(served.url + address)
            assert page.find_element(By.TAG_NAME, "html").get_attribute("lang") == language
            place = "-".join((*prefix, address.strip("/").replace("/", "_") or "floor"))
            name = f"{width}-{language}-{'dark' if dark else 'light'}-{place}"
            page.execute_script(axe)
            found = page.execute_async_script(
                "const done = arguments[0]; axe.run().then((result) => done(result.violations))"
            )
            troubles += [
                f"{name}: {one['id']}: {[node['html'][:120] for node in one['nodes'][:3]]}"
                for one in found
                if one["impact"] in ("serious", "critical")
            ]
            wide = page.execute_script("return document.documentElement.scrollWidth - window.innerWidth")
            if wide > 0:
                troubles.append(f"{name}: {wide} pixels wider than the window")
            whole_picture(page, PICTURES / f"{name}.png")
            size = {"width": WIDTHS[width][0], "height": WIDTHS[width][1], "deviceScaleFactor": 1}
            page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size | {"mobile": width == "phone"})
        troubles += [entry["message"] for entry in page.get_log("browser") if "favicon.ico" not in entry["message"]]
        troubles += [url for url in requested(page) if not url.startswith((served.url, "data:", "blob:", "chrome:"))]
    return troubles


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("width", sorted(WIDTHS))
def test_every_page(  # noqa: PLR0917 - fixtures
    served: ServedPage, opened: Open, axe: str, record_property: Record, width: str, language: str
) -> None:
    """No page asks anybody else for anything, logs an error, is wider than its window, or has a serious finding."""
    assert found_at(served, opened, axe, PAGES, width, language) == []
    record_property("proof", f"venue page, {width}, {language}: {len(PAGES)} pages, light and dark, no serious finding")


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("width", sorted(WIDTHS))
def test_every_page_of_a_recovery(  # noqa: PLR0917 - fixtures
    floor: VenueDatabase, served: ServedPage, opened: Open, axe: str, width: str, language: str
) -> None:
    """As above, with pools that wait for cabinets' books, one of them retired, and a late claim."""
    with floor.connect() as admin:
        admin.execute("UPDATE venue.pool SET hits = hits + 1")
        admin.execute("SELECT venue.begin_recovery('restored', 'root')")
        admin.execute("SELECT venue.retire(3, 'burnt', 'root')")
        admin.execute(
            "INSERT INTO venue.late_claim (cabinet, epoch, round, number, pool, hit, seed, award, reason)"
            " VALUES (1, 1, 5, 0, 1, 1, 10000000, 10000000, 'the pool was not recovering')"
        )
    assert found_at(served, opened, axe, RECOVERING, width, language, "recovery") == []


def test_by_keyboard_alone(served: ServedPage, floor: VenueDatabase) -> None:
    """Log in, go to the events, acknowledge an alarm and log out without a pointer; the focus is seen at every step."""
    # As the served page stores it: the tests' own passwords are stored with less work.
    carl = account("carl9", Role.CASHIER)
    carl.password = make_password(PASSWORD, hasher="scrypt")
    carl.save()
    page = browser()
    try:
        page.get(f"{served.url}/events/")
        _type(page, "carl9", Keys.TAB, PASSWORD, Keys.ENTER)
        WebDriverWait(page, 10).until(lambda one: one.current_url.endswith("/events/"))
        before = len(page.find_elements(By.CSS_SELECTOR, "#alarms button"))
        for _ in range(40):
            _type(page, Keys.TAB)
            focused = page.switch_to.active_element
            assert page.execute_script("return getComputedStyle(arguments[0]).outlineStyle", focused) != "none"
            if (focused.get_attribute("id") or "").startswith("acknowledge-"):
                break
        _type(page, Keys.ENTER)
        WebDriverWait(page, 10).until(
            lambda one: len(one.find_elements(By.CSS_SELECTOR, "#alarms button")) == before - 1
        )
        with floor.connect() as admin:
            row = admin.execute("SELECT count(*) FROM venue.alarm WHERE acknowledged_by = 'carl9'").fetchone()
        assert row == (1,)
    finally:
        page.quit()


def _type(page: webdriver.Chrome, *keys: str) -> None:
    webdriver.ActionChains(page).send_keys(*keys).perform()


def test_the_floor_is_live_within_three_seconds(served: ServedPage, floor: VenueDatabase, opened: Open) -> None:
    """An opened door is on the screen within three seconds, and the keyboard's place is kept meanwhile."""
    page = opened()
    page.get(served.url)
    page.execute_script("document.getElementById('cabinet-1').focus()")
    with floor.connect() as admin:
        admin.execute(
            "UPDATE venue.status SET status = jsonb_set(status, '{doors}', '[\"belly_door\"]'), at = clock_timestamp()"
            " WHERE cabinet = 1"
        )
    WebDriverWait(page, 3, poll_frequency=0.1).until(
        lambda one: "belly door" in one.find_element(By.ID, "cabinet-1").text
    )
    assert page.switch_to.active_element.get_attribute("id") == "cabinet-1"


@pytest.mark.parametrize("width", sorted(WIDTHS))
def test_no_word_of_a_cabinet_pushes_what_is_beside_it(
    served: ServedPage, floor: VenueDatabase, opened: Open, width: str
) -> None:
    """However long words of a status, an event and a name are, tiles keep their "Seen" and alarms their button."""
    word = "w" * 5000
    strange = {"state": word, "game": word, "lock": word, "doors": [word], "software": {"version": word, "state": word}}
    strange |= {"faults": [{"code": word, "place": word, "stops_play": True}], "trial": word}
    with floor.connect() as admin:
        admin.execute("UPDATE venue.status SET status = %s WHERE cabinet = 1", (json.dumps(strange),))
        admin.execute("UPDATE venue.cabinet SET label = %s, program = %s WHERE cabinet = 1", (word[:60], word[:60]))
        admin.execute(
            "INSERT INTO venue.event (cabinet, epoch, seq, code, body, cab_at)"
            " VALUES (1, 1, 99, 'logic_access', %s, now())",
            (json.dumps({"text": word}),),
        )
        admin.execute("SELECT venue.raise_alarm('logic_access', 1, 'word', %s)", (json.dumps({"text": word}),))
        admin.execute("SELECT venue.watch()")
    PICTURES.mkdir(parents=True, exist_ok=True)
    page = opened(width)
    boxes = (
        "return [...document.querySelectorAll(arguments[0])].map(one => one.getBoundingClientRect())"
        ".map(box => [box.right, box.height])"
    )
    for address, each in (
        ("/", ".tile .foot span"),
        ("/events/", "#alarms button"),
        ("/cabinets/1/", "#alarms button"),
        ("/cabinets/", "tbody tr:nth-child(2) td"),
    ):
        page.get(served.url + address)
        assert page.execute_script("return document.documentElement.scrollWidth") <= WIDTHS[width][0], address
        found = page.execute_script(boxes, each)
        assert found
        whole_picture(page, PICTURES / f"{width}-words-{address.strip('/').replace('/', '_') or 'floor'}.png")
        assert all(right <= WIDTHS[width][0] and height < 70 for right, height in found), (address, found)
        assert all(height < 420 for _, height in page.execute_script(boxes, ".tile")), address


def test_the_wall_counts_up(served: ServedPage, floor: VenueDatabase) -> None:
    """A value that rises is counted up to within some seconds, without a reload and without a login."""
    page = browser(*WIDTHS["wall"])
    try:
        page.get(f"{served.url}/wall/")
        first = page.find_element(By.ID, "pool-1").text
        with floor.connect() as admin:
            admin.execute("UPDATE venue.meter SET cum = cum + 123456789, seq = seq + 1 WHERE pool = 1 AND cabinet = 1")
        seen = {first}

        def counted(one: webdriver.Chrome) -> bool:
            seen.add(one.find_element(By.ID, "pool-1").text)
            return len(seen) > 5

        WebDriverWait(page, 10, poll_frequency=0.1).until(counted)
    finally:
        page.quit()


def test_a_round_is_drawn_by_the_display(floor: VenueDatabase, tmp_path: Path) -> None:
    """A round's pictures come from the display's own program, and appear on the page by themselves."""
    session = logged_in(Role.CASHIER).cookies["sessionid"].value
    with ServedPage(floor, tmp_path, display=[sys.executable, "-m", "ui.redraw"]) as site:
        page = browser()
        try:
            log_in(page, site.url, session)
            page.get(f"{site.url}/rounds/1/1001/")
            WebDriverWait(page, 60).until(lambda one: one.find_elements(By.CSS_SELECTOR, ".shots img"))
            pictures = page.find_elements(By.CSS_SELECTOR, ".shots img")
            assert len(pictures) == len(record("neptune")["segments"])
            assert "Reproduces every recorded hash" in page.find_element(By.TAG_NAME, "main").text
            WebDriverWait(page, 10).until(
                lambda one: one.execute_script("return document.querySelector('.shots img').naturalWidth") == 1280
            )
            PICTURES.mkdir(parents=True, exist_ok=True)
            whole_picture(page, PICTURES / "round.png")
        finally:
            page.quit()


@pytest.mark.parametrize("pools", [1, 3, 14, 30])
def test_every_jackpot_fits_the_wall(site: VenueDatabase, tmp_path: Path, pools: int) -> None:
    """No value is cut off, below the edge or in another one's place, however many pools there are."""
    for number in range(1, pools + 1):
        site.add_pool(number, "mona_lisa_jewels" if number % 2 else "bewitched", number * 10)
    with ServedPage(site, tmp_path) as served:
        for width, height in ((1280, 720), (1920, 1080), (1080, 1920)):
            page = browser(width, height, language="de")
            try:
                page.get(f"{served.url}/wall/")
                WebDriverWait(page, 20).until(lambda one: "\u20ac" in one.find_element(By.CSS_SELECTOR, ".amount").text)
                PICTURES.mkdir(parents=True, exist_ok=True)
                page.save_screenshot(str(PICTURES / f"wall-{pools}-{width}x{height}.png"))
                root = page.execute_script(
                    "const one = document.documentElement; return [one.scrollWidth, one.scrollHeight]"
                )
                assert root[0] <= width
                assert root[1] <= height
                cells = page.execute_script(
                    "return [...document.querySelectorAll('.wall li')].map(one => ["
                    "one.clientWidth, ...[...one.children].map(each => each.scrollWidth)])"
                )
                assert len(cells) == pools
                assert all(max(inner) <= own for own, *inner in cells)
            finally:
                page.quit()
