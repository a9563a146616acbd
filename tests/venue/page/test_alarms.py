"""Alarms go to their channels, once, escalate, and end with an acknowledgement."""

import json
import threading
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from tests.rigs.postgres import VenueDatabase
from tests.rigs.venue_floor import enrolled, status
from tests.rigs.venue_page import acts, logged_in
from venue.page import alarming
from venue.page.channel_form import ChannelForm
from venue.page.delivery import LONGEST_S, NO_ANSWER, Deliveries, Message, send
from venue.page.models import Channel
from venue.page.roles import Role


class Post:
    """Takes messages; refuses them while it is `down`."""

    def __init__(self) -> None:
        self.down = False
        self.messages: list[tuple[str, str]] = []

    def __call__(self, address: str, message: Message) -> str:
        """Take one message."""
        if self.down:
            return "refused"
        self.messages.append((address, message.title))
        return ""


def trouble(site: VenueDatabase) -> None:
    """A cabinet whose books differ."""
    cabinet = enrolled(site, 3, "Window")
    with cabinet:
        cabinet.beat(**status(books={"whole": False}))


def later(site: VenueDatabase, minutes: int) -> None:
    """Let alarms and messages be older than they are."""
    with site.connect() as admin:
        admin.execute(
            "UPDATE venue.alarm SET since = since - %s, escalated_at = escalated_at - %s",
            (timedelta(minutes=minutes),) * 2,
        )
        admin.execute("UPDATE venue.alarm_message SET made_at = made_at - %s", (timedelta(minutes=minutes),))


def test_an_alarm_is_sent_once(site: VenueDatabase) -> None:
    """A trouble becomes one message for each channel that takes its severity, however often the worker runs."""
    Channel.objects.create(name="mail", address="json://mail", severity="warning")
    Channel.objects.create(name="chat", address="json://chat", severity="critical", language="de")
    trouble(site)
    post = Post()
    assert [alarming.once(post, 10) for _ in range(3)] == [2, 0, 0]
    assert sorted(address for address, _ in post.messages) == ["json://chat", "json://mail"]
    assert all("3 Window" in title for _, title in post.messages)


def test_a_lower_severity_is_not_sent(site: VenueDatabase) -> None:
    """A channel for critical alarms gets no warning."""
    Channel.objects.create(name="chat", address="json://chat", severity="critical")
    with enrolled(site, 1) as cabinet:
        cabinet.beat(**status(software={"state": "differs"}))
    post = Post()
    assert alarming.once(post, 10) == 0


def test_a_message_is_tried_again(site: VenueDatabase) -> None:
    """A channel that is down gets its message later; the page shows what failed until then."""
    Channel.objects.create(name="mail", address="json://mail")
    trouble(site)
    post = Post()
    post.down = True
    assert alarming.once(post, 10) == 0
    post.down = False
    assert alarming.once(post, 10) == 0, "not at once again"
    assert b"refused" in logged_in(Role.OPERATOR).get("/events/rules/").content
    later(site, 1)
    assert alarming.once(post, 10) == 1


def test_an_alarm_escalates_until_it_is_acknowledged(site: VenueDatabase) -> None:
    """What nobody has acknowledged in its time goes to the next channel; an acknowledgement ends that."""
    Channel.objects.create(name="mail", address="json://mail")
    Channel.objects.create(name="boss", address="json://boss", escalation=1)
    trouble(site)
    post = Post()
    alarming.once(post, 10)
    assert [address for address, _ in post.messages] == ["json://mail"]
    later(site, 10)
    alarming.once(post, 10)
    assert [address for address, _ in post.messages].count("json://boss") == 1
    with site.connect() as admin:
        (number,) = admin.execute("SELECT alarm FROM venue.alarm").fetchone() or (0,)
    client = logged_in(Role.CASHIER, "carl")
    assert client.post(f"/events/{number}/acknowledge", {"remark": "on my way"}).status_code == 302
    later(site, 60)
    sent = len(post.messages)
    alarming.once(post, 10)
    assert len(post.messages) == sent
    assert [act for by, act, _ in acts(site) if by == "carl"] == ["alarm acknowledged"]


def test_a_trouble_that_ends_ends_its_alarm(site: VenueDatabase) -> None:
    """An alarm is over with its trouble, and comes again as another one."""
    trouble(site)
    alarming.once(Post(), 10)
    with site.connect() as admin:
        admin.execute("""UPDATE venue.status SET status = '{"books": {"whole": true}}'""")
    alarming.once(Post(), 10)
    client = logged_in(Role.VIEWER)
    assert b"Books differ" not in client.get("/events/alarms").content
    assert b"Books differ" in client.get("/events/past/").content


@pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")  # Apprise loads all its plugins
def test_a_channel_never_acts_on_the_venue_itself(site: VenueDatabase) -> None:
    """Addresses that would write a file or run something are refused, and what Apprise does not know."""
    for address in ("file:///etc/passwd", "syslog://", "dbus://", "nothing", "", "FILE:///tmp/x"):
        form = ChannelForm({"name": "x", "address": address, "severity": "info", "escalation": 0, "language": "en"})
        assert not form.is_valid(), address
    form = ChannelForm({"name": "x", "address": "json://h/x", "severity": "info", "escalation": 0, "language": "en"})
    assert form.is_valid(), form.errors


class HangingPost(Post):
    """Never answers at the address `json://hangs` until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.hanging = threading.Event()
        self.let_go = threading.Event()

    def __call__(self, address: str, message: Message) -> str:
        """Take one message, or hang."""
        if address == "json://hangs":
            self.hanging.set()
            self.let_go.wait(30)
        return super().__call__(address, message)


@pytest.fixture
def hanging() -> Iterator[HangingPost]:
    """Hangs until the test's end at the latest."""
    post = HangingPost()
    yield post
    post.let_go.set()


def test_a_channel_that_hangs_holds_up_neither_the_watch_nor_another_channel(
    site: VenueDatabase, hanging: HangingPost
) -> None:
    """While one channel does not answer, the other gets new alarms; what hung is sent once, when it answers."""
    Channel.objects.create(name="a", address="json://hangs")
    Channel.objects.create(name="b", address="json://mail")
    deliveries = Deliveries(hanging)
    trouble(site)
    alarming.step(deliveries)
    assert hanging.hanging.wait(10)
    with enrolled(site, 4, "Door") as cabinet:
        cabinet.beat(**status(books={"whole": False}))
    gone = 0
    for _ in range(200):
        gone += alarming.step(deliveries)
        if gone == 2:
            break
        deliveries.wait(0.05)
    assert [address for address, _ in hanging.messages] == ["json://mail"] * 2
    hanging.let_go.set()
    deliveries.wait(10)
    assert alarming.step(deliveries) == 1
    deliveries.wait(10)
    assert alarming.step(deliveries) == 1
    assert [address for address, _ in hanging.messages].count("json://hangs") == 2


def test_a_message_on_its_way_is_sent_after_a_restart(site: VenueDatabase, hanging: HangingPost) -> None:
    """A worker that ends while a channel hangs loses no message: the next one sends it."""
    Channel.objects.create(name="a", address="json://hangs")
    trouble(site)
    alarming.step(Deliveries(hanging))
    assert hanging.hanging.wait(10)
    assert alarming.once(Post(), 10) == 1


def test_a_channel_that_hangs_for_ever_is_given_up_a_few_times(hanging: HangingPost) -> None:
    """A message that takes too long is recorded as failed, and never more than a few threads hang in a channel."""
    now = 0.0
    deliveries = Deliveries(hanging, lambda: now)
    for number in range(3):
        assert deliveries.free("a")
        hanging.hanging.clear()
        deliveries.hand("a", "json://hangs", [Message(number, "", "", "info"), Message(99, "", "", "info")])
        assert not deliveries.free("a")
        assert hanging.hanging.wait(10)
        now += LONGEST_S + 1
        assert deliveries.results() == [(number, NO_ANSWER)]
    assert not deliveries.free("a")
    hanging.let_go.set()
    deliveries.wait(10)
    assert sorted(deliveries.results()) == [(0, ""), (1, ""), (2, "")]
    assert deliveries.free("a")


class _Hook(BaseHTTPRequestHandler):
    """Notes the bodies that are posted to it."""

    bodies: list[bytes]

    def do_POST(self) -> None:
        """Take a message."""
        self.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""


@pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")  # Apprise loads all its plugins
def test_a_message_has_its_severity_as_its_type() -> None:
    """A webhook gets Apprise's type by the alarm's severity."""
    _Hook.bodies = []
    with HTTPServer(("127.0.0.1", 0), _Hook) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for severity in ("info", "warning", "critical"):
            assert not send(f"json://127.0.0.1:{server.server_port}", Message(1, "title", "text", severity))
        server.shutdown()
    assert [json.loads(body)["type"] for body in _Hook.bodies] == ["info", "warning", "failure"]
