"""Delivery of messages through Apprise, with one thread per channel.

The alarm worker never waits for a channel: it enqueues messages and collects the results later. A message stays due in
the database until its result is recorded there, so a restart loses none; a message in transit is sent again.
"""

import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from apprise import Apprise

_log = logging.getLogger(__name__)

LONGEST_S = 60.0
"""Timeout of one message in seconds. A thread that exceeds it is abandoned, and its channel gets a new thread."""
MOST_GIVEN_UP = 3
"""Maximum number of abandoned threads per channel; at this number it gets no new thread until one of them ends."""
NO_ANSWER = "the channel did not answer in time"


class Message(NamedTuple):
    """A message to send: its number in the database, its title and text, and its alarm's severity."""

    number: int
    title: str
    text: str
    severity: str


Send = Callable[[str, Message], str]
"""Sends a message to an address; returns "" on success, else the error."""

_KINDS = {"info": "info", "warning": "warning", "critical": "failure"}
"""Apprise's notification type by severity; most channels choose an icon or a colour by it."""


def send(address: str, message: Message) -> str:
    """Send one message; return "" on success, else the error. A server's failure raises no exception."""
    post = Apprise()
    if not post.add(address):
        return "the address is not known to Apprise"
    if post.notify(title=message.title, body=message.text, notify_type=_KINDS[message.severity]):
        return ""
    _log.warning("a message of an alarm was not accepted by its channel (%s)", address.partition("://")[0])
    return "the channel did not accept the message"


@dataclass(eq=False)
class _Carrier:
    """A thread that sends the messages of one channel in order."""

    channel: str
    waiting: list[Message]
    since: float
    sending: Message | None = None
    given_up: bool = False
    thread: threading.Thread = field(init=False)


class Deliveries:
    """Messages in transit, with one thread per channel; all methods must be called from the same thread.

    `clock` returns monotonic time in seconds.
    """

    def __init__(self, send: Send, clock: Callable[[], float] = time.monotonic) -> None:
        self._send = send
        self._clock = clock
        self._carriers: list[_Carrier] = []
        self._results: queue.SimpleQueue[tuple[int, str]] = queue.SimpleQueue()
        self._lock = threading.Lock()

    def free(self, channel: str) -> bool:
        """Whether `channel` can take messages: it is sending none and has fewer than `MOST_GIVEN_UP` hung threads."""
        own = [one for one in self._carriers if one.channel == channel]
        return all(one.given_up for one in own) and len(own) < MOST_GIVEN_UP

    def hand(self, channel: str, address: str, messages: Sequence[Message]) -> None:
        """Start a thread that sends `messages` to `address` one after another."""
        carrier = _Carrier(channel, list(messages), self._clock())
        carrier.thread = threading.Thread(target=self._carry, args=(carrier, address), name="delivery", daemon=True)
        self._carriers.append(carrier)
        carrier.thread.start()

    def results(self) -> list[tuple[int, str]]:
        """Return number and error ("" on success) of each message that finished or timed out since the last call."""
        now = self._clock()
        found: list[tuple[int, str]] = []
        with self._lock:
            for one in self._carriers:
                if not one.given_up and one.sending is not None and now - one.since > LONGEST_S:
                    one.given_up = True
                    found.append((one.sending.number, NO_ANSWER))
        while not self._results.empty():
            found.append(self._results.get())
        self._carriers = [one for one in self._carriers if one.thread.is_alive()]
        return found

    def wait(self, seconds: float) -> None:
        """Wait until no message is in transit, for at most `seconds`."""
        until = time.monotonic() + seconds
        for one in self._carriers:
            one.thread.join(max(0.0, until - time.monotonic()))

    def _carry(self, carrier: _Carrier, address: str) -> None:
        for message in carrier.waiting:
            with self._lock:
                if carrier.given_up:
                    return
                carrier.sending, carrier.since = message, self._clock()
            try:
                error = self._send(address, message)
            except Exception:  # noqa: BLE001 - a plugin may raise anything, and the message must be retried
                _log.exception("a message of an alarm could not be sent")
                error = "the channel's program failed"
            self._results.put((message.number, error))
