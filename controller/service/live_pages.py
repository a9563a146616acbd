"""Pages that run while they are open, such as device tests. The runner that a feature fits runs them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from controller.journal.errors import RefusedError
from controller.service.messages import WORDS
from controller.service.page import DeviceAction, Line, Page, Submission
from ui.protocol.messages import Frames, ServiceSound, Touch, View

TICK_S = 0.25
"""The interval at which an open live page is read again."""


@dataclass(frozen=True, kw_only=True)
class LivePage(Page):
    """A page that is run while it is open."""


class Live(Protocol):
    """What an open live page shows, and what it takes."""

    @property
    def picture(self) -> str:
        """The pattern that covers the whole screen, empty for the page."""

    @property
    def marks(self) -> tuple[tuple[int, int], ...]:
        """The points marked on the pattern, in units of 1280x720."""

    @property
    def sound(self) -> ServiceSound | None:
        """The newest sound for the display to play, if any."""

    @property
    def six_keys(self) -> bool:
        """Whether two more of the panel's buttons are keys, `first` and `last`, as in a recall."""

    def lines(self) -> Sequence[Line]:
        """Return the lines of the page."""

    def view(self, view: View) -> View:
        """Return the screen to show instead of `view`, which shows the page."""

    def key(self, key: str) -> bool:
        """Handle `up`, `down`, `enter`, `back` (`first`, `last`); return False for a key of the page."""

    def touch(self, touch: Touch) -> None:
        """Handle a raw touch."""

    def frames(self, frames: Frames) -> None:
        """Handle the display's statistics of the last second."""


class PageRunner:
    """Runs the open live page; this one runs none, because there is no hardware.

    `message` is the next message to show, `refusal` the newest refusal of an action, with its figures.
    """

    def __init__(self) -> None:
        self.message = ""
        self.refusal: RefusedError | None = None

    @property
    def live(self) -> Live | None:
        """The open live page."""
        return None

    @property
    def keys(self) -> bool:
        """Whether the panel's four buttons operate the page."""
        return True

    @property
    def idle(self) -> bool:
        """Whether the menu's idle timeout applies."""
        return True

    def connect(self, notify: Callable[[str], None]) -> None:
        """Set `notify`, which is called with `look`, `touched` and `service:back`."""

    def fresh(self) -> None:
        """Forget the earlier movements of inputs when the menu is opened."""

    async def open(self, page: Page | None) -> bool:
        """Run a live page, and end any other; return False with `message` set if it cannot be run."""
        if isinstance(page, LivePage):
            self.message = WORDS["no hardware"]
            return False
        return True

    async def end(self, *, record: bool = True) -> None:
        """End the open live page; if `record` is true, record the end as an event."""

    def start(self, action: DeviceAction, submission: Submission) -> None:
        """Start a row's action; its message or refusal is shown when it has ended."""
