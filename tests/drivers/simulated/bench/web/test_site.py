"""The bench's page over real HTTP and WebSockets, with a front that obeys behind it."""

import json
import re
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

import pytest

from drivers.simulated.bench.appearance import PARTS
from drivers.simulated.bench.layout import BY_KEY, CONTROLS
from tests.rigs.bench_fakes import STILL, FakeDisplay, FakeFront, fake_front
from tests.rigs.needing import skipped_where
from tests.rigs.patience import PATIENCE_S

pytestmark = [
    skipped_where(find_spec("font_manrope") is None, "the fonts are not installed", "pip install '.[bake]'"),
    skipped_where(find_spec("uvicorn") is None, "the server is not installed", "pip install '.[web]'"),
]
if find_spec("uvicorn") is not None:
    from websockets.exceptions import ConnectionClosed, InvalidStatus

    from tests.rigs.web_bench import WebBench, WebViewer

WHITE = b"\xff" * (1280 * 720 * 4)


@pytest.fixture(scope="module")
def baked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("baked")


@pytest.fixture
def front(tmp_path: Path) -> Iterator[FakeFront]:
    with fake_front(tmp_path) as front:
        yield front


@pytest.fixture
def bench(front: FakeFront, tmp_path: Path, baked: Path) -> Iterator["WebBench"]:
    with WebBench(tmp_path, baked) as bench:
        assert front.wait_guest(PATIENCE_S)
        yield bench


@pytest.fixture
def viewer(bench: "WebBench") -> Iterator["WebViewer"]:
    with WebViewer(bench.url) as viewer:
        viewer.until(lambda: viewer.facts.get("alert") == "")
        yield viewer


def fetch(url: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:  # noqa: S310 - the server's own address
            return answer.status, answer.read().decode(errors="replace")
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_the_page_and_its_files_are_served_and_ask_nobody_else(bench: "WebBench") -> None:
    """Under the token lie page, style, script and pictures; none of them names another machine."""
    for name in ("", "bench.css", "bench.js"):
        status, text = fetch(bench.url + name)
        assert status == 200
        assert re.findall(r"(?:https?:)?//[a-z0-9]", text) == []
    assert fetch(bench.url + "art/cabinet.png")[0] == 200


def test_a_wrong_token_is_refused(bench: "WebBench") -> None:
    """Without the token there is neither page nor socket, and the refusal says which address to open."""
    root = bench.url.rsplit("/", 2)[0]
    for path in ("/", "/wrong/", "/wrong/bench.js", bench.url.rsplit("/", 2)[1].lower() + "x/"):
        status, text = fetch(f"{root}/{path.lstrip('/')}")
        assert (status, text) == (
            403,
            "Wrong or missing token: open the address that `cabinet demo --web` has printed.\n",
        )
    with pytest.raises(InvalidStatus, match="403"):
        WebViewer(f"{root}/wrong/")


def test_it_listens_on_the_loopback_alone(bench: "WebBench") -> None:
    """The address is the loopback's, and the file with it is its owner's alone."""
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{22}/", bench.url)


def test_controls_and_keys_are_those_of_the_window(viewer: "WebViewer") -> None:
    """Each control of the window's table is on the page, at its place and with its key, and each part."""
    places = {place["name"]: place for group in viewer.layout["groups"] for place in group["parts"]}
    assert {name for name, place in places.items() if place.get("control")} == set(CONTROLS)
    assert {name: tuple(places[name]["area"]) for name in CONTROLS} == {
        name: control.area for name, control in CONTROLS.items()
    }
    assert set(PARTS) <= set(places)
    assert viewer.layout["keys"] == {key: control.name for key, control in BY_KEY.items()}


def test_every_picture_of_a_look_is_served(viewer: "WebViewer", front: FakeFront) -> None:
    """Whatever the front shows, the page knows the size of the pictures that show it."""
    front.show(escrow_cents=2000, tray_coins=80, tray_cents=8000, coin_return_cents=380, tower={"top": True})
    viewer.until(lambda: viewer.looks["tray"][1][0][0] == "80.00 €")
    for layers, _labels in viewer.looks.values():
        assert all(layer[0] in viewer.layout["pictures"] for layer in layers)


def test_a_finger_presses_and_releases(viewer: "WebViewer", front: FakeFront) -> None:
    """A button is pressed while the finger is down, and looks so before the hardware answers; a switch is turned."""
    viewer.send("grasp", finger="one", control="spin")
    viewer.until(lambda: viewer.looks["spin"][0][0][0] == "spin_01")
    viewer.send("let_go", finger="one")
    viewer.until(lambda: viewer.looks["spin"][0][0][0] == "spin_00")
    viewer.tap("note_2000")
    viewer.tap("attendant")
    assert front.wait_asked("press spin", "release spin", "note 20", "key attendant on", timeout=PATIENCE_S)


def test_what_changes_is_sent_alone(viewer: "WebViewer", front: FakeFront) -> None:
    """A lamp that goes on is one look, and a meter that counts rolls to its figure."""
    viewer.looks.clear()
    viewer.wheels.clear()
    front.show(lamps=STILL.lamps | {"spin": True}, meters=STILL.meters | {"coin_in": 12})
    viewer.until(lambda: viewer.wheels.get("coin_in") == [0, 0, 0, 0, 0, 16, 32])
    assert (set(viewer.looks), set(viewer.wheels)) == ({"spin"}, {"coin_in"})


def test_who_leaves_lets_go(viewer: "WebViewer", front: FakeFront) -> None:
    """A browser that is closed with a finger on a button does not hold it for ever."""
    viewer.send("grasp", finger="one", control="bet")
    viewer.until(lambda: viewer.looks["bet"][0][0][0] == "bet_01")
    viewer.close()
    assert front.wait_asked("press bet", "release bet", timeout=PATIENCE_S)


def test_a_second_viewer_watches_until_the_first_leaves(
    viewer: "WebViewer", bench: "WebBench", front: FakeFront
) -> None:
    """Both see the same; only the first plays, and the second is told why; then it plays."""
    with WebViewer(bench.url) as second:
        second.until(lambda: second.facts.get("viewers") == 2 and bool(second.looks))
        assert (viewer.facts["plays"], second.facts["plays"]) == (True, False)
        assert second.looks == viewer.looks
        second.tap("spin")
        assert second.refused() == "another viewer plays and this one watches, until the other one leaves"
        viewer.tap("note_500")
        viewer.close()
        second.until(lambda: bool(second.facts["plays"]))
        second.tap("note_1000")
        assert front.wait_asked("note 5", "note 10", timeout=PATIENCE_S)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "cannot be read"),
        ("{", "cannot be read"),
        ('{"type":"pay","cents":100}', "Invalid value 'pay'"),
        ('{"type":"grasp","finger":"one"}', "missing required field `control`"),
        ('{"type":"grasp","finger":"one","control":"coffee"}', "there is no control 'coffee'; there are service,"),
        ('{"type":"grasp","finger":"one","control":"spin","x":1}', "unknown field `x`"),
        ('{"type":"touch","finger":"one","x":1.5,"y":0}', "`float` <= 1.0"),
        ('{"type":"act","what":""}', "length >= 1"),
        ('{"type":"shown","number":-1}', "`int` >= 0"),
        ("[" * 2000, "cannot be read"),
    ],
)
def test_a_bad_message_gets_an_error_and_changes_nothing(
    viewer: "WebViewer", front: FakeFront, text: str, words: str
) -> None:
    """The error says what is wrong, and the connection goes on as before."""
    viewer.say(text)
    assert words in viewer.refused()
    viewer.tap("coin_50")
    assert front.wait_asked("coin 0.50", timeout=PATIENCE_S)


def test_a_message_that_is_too_long_ends_the_connection(viewer: "WebViewer") -> None:
    """No viewer fills the server's memory."""
    viewer.say(" " * 5000)
    with pytest.raises(ConnectionClosed) as closed:
        viewer.until(lambda: False)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1009


def test_an_act_that_the_hardware_refuses_is_the_alert(viewer: "WebViewer", front: FakeFront) -> None:
    """What the front says of an act is shown to all."""
    front.refuse["fault coin tea"] = "coin knows no fault 'tea'"
    viewer.send("act", what="fault coin tea")
    viewer.until(lambda: viewer.facts["alert"] == "coin knows no fault 'tea'")


def test_no_more_than_eight_viewers(bench: "WebBench") -> None:
    """The ninth is told why, and one of the eight may go for it."""
    eight = [WebViewer(bench.url) for _ in range(8)]
    eight[-1].until(lambda: eight[-1].facts.get("viewers") == 8)
    with WebViewer(bench.url) as ninth:
        assert ninth.refused() == "8 viewers are here, which is as many as are served"
    for viewer in eight:
        viewer.close()


def test_the_picture_is_sent_as_a_jpeg(viewer: "WebViewer", tmp_path: Path) -> None:
    """A display's frame comes as a picture of its size and colour, and a dead display is dark."""
    from PIL import Image  # noqa: PLC0415 - with the server

    display = FakeDisplay(tmp_path / "glass", 1280, 720)
    display.present(bytes((30, 20, 200, 0)) * (1280 * 720), 1)
    viewer.until(lambda: bool(viewer.pictures) and bool(viewer.facts["lit"]))
    picture = Image.open(BytesIO(viewer.pictures[0]))
    assert (picture.format, picture.size) == ("JPEG", (1280, 720))
    assert picture.convert("RGB").getpixel((640, 360)) == pytest.approx((200, 20, 30), abs=3)
    display.die()
    viewer.until(lambda: not viewer.facts["lit"])


def test_a_slow_viewer_gets_fewer_pictures_and_the_newest(bench: "WebBench", tmp_path: Path) -> None:
    """Two pictures are on the way at most; when the viewer has shown them it gets the newest one."""
    display = FakeDisplay(tmp_path / "glass", 64, 36)
    with WebViewer(bench.url, shows=False) as slow, WebViewer(bench.url) as quick:
        for number in range(1, 6):
            display.present(bytes((number * 50, 0, 0, 0)) * (64 * 36), number)
            quick.until(lambda number=number: len(quick.pictures) >= number)
        slow.tap("info")
        slow.until(lambda: slow.looks.get("info", [[[""]]])[0][0][0] == "info_00" and len(slow.pictures) == 2)
        slow.send("shown", number=2)
        slow.until(lambda: len(slow.pictures) == 3)
        assert slow.pictures[2] == quick.pictures[4]
    display.die()


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (1080, 1920)])
def test_a_touch_arrives_on_the_canvas(viewer: "WebViewer", tmp_path: Path, size: tuple[int, int]) -> None:
    """A touch is in fractions of the picture and arrives in units of the canvas, whatever the display's shape."""
    display = FakeDisplay(tmp_path / "glass", *size)
    display.present(bytes(size[0] * size[1] * 4), 1)
    viewer.until(lambda: bool(viewer.pictures))
    units = size if size[1] > size[0] else (1280, 720)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(tmp_path / "touch.sock"))
        listener.listen()
        viewer.send("touch", finger="one", x=0.25, y=0.75)
        viewer.send("let_go", finger="one", x=1, y=1)
        accepted, _ = listener.accept()
        with accepted:
            accepted.settimeout(PATIENCE_S)
            down, up = (json.loads(accepted.recv(4096)) for _ in range(2))
    assert (down["x"], down["y"]) == pytest.approx((units[0] / 4, units[1] * 3 / 4), abs=3)
    assert (up["x"], up["y"]) == pytest.approx(units, abs=4)
    assert (down["down"], up["down"]) == (True, False)
    display.die()


def test_it_ends_at_a_signal_and_takes_its_address_away(bench: "WebBench", tmp_path: Path) -> None:
    """With a viewer connected it ends in order, and nobody finds an address that is not served."""
    with WebViewer(bench.url) as viewer:
        viewer.until(lambda: bool(viewer.looks))
        assert bench.end() == (0, "")
    assert not (tmp_path / "bench.url").exists()


def test_a_port_that_is_taken_is_an_error(bench: "WebBench", tmp_path: Path, baked: Path) -> None:
    """It names the port and ends with 1."""
    port = bench.url.split(":")[2].split("/")[0]
    with pytest.raises(AssertionError, match=f"cannot listen on 127.0.0.1 port {port}: .*; name another --port"):
        WebBench(tmp_path / "other", baked, "--port", port).__enter__()
