"""The bench that viewers share: what they are shown, and who of them plays.

TooManyViewersError (RuntimeError)   as many watch as are served
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, TypeVar

from drivers.simulated.bench.appearance import PARTS, Look, SeenFront
from drivers.simulated.bench.frame_mirror import Frame
from drivers.simulated.bench.hands import Hands
from drivers.simulated.bench.layout import CARDS, CONTROLS, picture_area
from drivers.simulated.bench.web.messages import (
    HEAD,
    Act,
    BadMessageError,
    Change,
    Fact,
    FromViewer,
    Grasp,
    LetGo,
    Shown,
    Slip,
    Touch,
)
from drivers.simulated.bench.wheels import Wheels, faces
from drivers.simulated.bench.wires import Wires
from drivers.simulated.front import Front

FRAMES_PER_SECOND = 30
MOST_VIEWERS = 8
PICTURES_ON_THE_WAY = 2
"""Pictures sent to a viewer that it has not yet shown: it gets no more until it shows one."""

_Value = TypeVar("_Value")
_ANY = {control.name: control for control in (*CONTROLS.values(), *CARDS)}
_WATCHING: Final = "another viewer plays and this one watches, until the other one leaves"


class TooManyViewersError(RuntimeError):
    """No more viewers are served."""


class Viewer:
    """One browser at the bench, and what it has been sent."""

    def __init__(self) -> None:
        self.looks: dict[str, Look] = {}
        self.wheels: dict[str, tuple[int, ...]] = {}
        self.facts: dict[str, Fact] = {}
        self.sent = 0
        self.shown = 0
        self._on_the_way: list[int] = []

    def __repr__(self) -> str:
        return f"<Viewer sent {self.sent} shown {self.shown}>"

    @property
    def is_ready(self) -> bool:
        """Whether it may be sent one more picture."""
        return len(self._on_the_way) < PICTURES_ON_THE_WAY

    def send(self, number: int) -> None:
        """Record that a picture is sent to it."""
        self.sent = number
        self._on_the_way.append(number)

    def show(self, number: int) -> None:
        """Record that it shows a picture."""
        self.shown = number
        self._on_the_way = [waiting for waiting in self._on_the_way if waiting > number]


class Station:
    """The bench of the run directory `run`; call `run` in a task, which serves it until it is cancelled.

    `encode` makes a JPEG of a frame, in a few milliseconds: a thread would cost two more changes of the process.
    """

    def __init__(
        self, run: Path, *, encode: Callable[[Frame], bytes], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._wires = Wires(run, clock=clock)
        self._hands = Hands(self._wires.do, self._wires.touch)
        self._wheels = Wheels()
        self._encode = encode
        self._clock = clock
        self._viewers: list[Viewer] = []
        self._turned = asyncio.Event()
        self._looks: dict[str, Look] = {}
        self._turns: dict[str, tuple[int, ...]] = {}
        self._facts: dict[str, Fact] = {}
        self._frame: Frame | None = None
        self._picture = b""
        self._number = 0

    def __repr__(self) -> str:
        return f"<Station {self._wires!r}, {len(self._viewers)} viewers>"

    async def run(self) -> None:
        """Read the wires thirty times a second and show the viewers what is new."""
        due = self._clock()
        try:
            while True:
                self.look()
                self._encode_newest()
                self._turned.set()
                self._turned = asyncio.Event()
                due = max(due + 1 / FRAMES_PER_SECOND, self._clock())
                await asyncio.sleep(due - self._clock())
        finally:
            self._hands.let_all_go()
            self._wires.close()

    def look(self) -> None:
        """Read the wires."""
        now = self._clock()
        self._wires.listen(now)
        seen = SeenFront(self._wires.front, self._hands.held)
        self._looks = {name: part.look(seen) for name, part in PARTS.items()}
        self._turns = {name: faces(at) for name, at in self._wheels.roll(self._wires.meters, now).items()}
        self._facts = {
            "alert": self._wires.alert(now),
            "lit": self._wires.monitor_lit(),
            "faults": self._wires.faults,
            **_papers(self._wires.front),
        }

    async def turn(self) -> None:
        """Wait until the wires have been read once more."""
        await self._turned.wait()

    # Viewers.

    def enter(self) -> Viewer:
        """Let a viewer in: the first one plays. Raises `TooManyViewersError`."""
        if len(self._viewers) >= MOST_VIEWERS:
            raise TooManyViewersError(f"{MOST_VIEWERS} viewers are here, which is as many as are served")
        viewer = Viewer()
        self._viewers.append(viewer)
        return viewer

    def leave(self, viewer: Viewer) -> None:
        """Let a viewer go; if it played, the one who came after it plays."""
        if viewer is self._viewers[0]:
            self._hands.let_all_go()
        self._viewers.remove(viewer)

    def change(self, viewer: Viewer) -> Change | None:
        """Return what has changed for a viewer since the last call, None if nothing has."""
        own: dict[str, Fact] = {"plays": viewer is self._viewers[0], "viewers": len(self._viewers)}
        change = Change(
            looks=_update(viewer.looks, self._looks),
            wheels=_update(viewer.wheels, self._turns),
            facts=_update(viewer.facts, self._facts | own),
        )
        return change if change.looks or change.wheels or change.facts else None

    def picture(self, viewer: Viewer) -> bytes | None:
        """Return the newest picture as a binary message if a viewer lacks it and can take it."""
        if not self._number or viewer.sent == self._number or not viewer.is_ready:
            return None
        viewer.send(self._number)
        return HEAD.pack(self._number) + self._picture

    def receive(self, viewer: Viewer, message: FromViewer) -> None:
        """Do what a viewer wants; raise `BadMessageError` if it may not, or if there is no such control."""
        if isinstance(message, Shown):
            viewer.show(message.number)
            return
        if viewer is not self._viewers[0]:
            raise BadMessageError(_WATCHING)
        match message:
            case Grasp(finger, name):
                if name not in _ANY:
                    raise BadMessageError(f"there is no control {name!r}; there are {', '.join(_ANY)}")
                self._hands.grasp(finger, _ANY[name], self._wires.front)
            case Touch(finger, x, y):
                self._hands.point_down(finger, *self._on_bench(x, y), self._wires.front)
            case LetGo():
                self._let_go(message)
            case Act(what):
                self._wires.do(what)

    def _let_go(self, message: LetGo) -> None:
        if not message.finger:
            self._hands.let_all_go()
        elif message.x is None or message.y is None:
            self._hands.lift_in_place(message.finger)
        else:
            self._hands.lift(message.finger, *self._on_bench(message.x, message.y))

    def _on_bench(self, x: float, y: float) -> tuple[float, float]:
        """Map a place in fractions of the monitor's picture to bench units."""
        area = picture_area(self._hands.picture)
        return area.x + x * (area.width - 1), area.y + y * (area.height - 1)

    def _encode_newest(self) -> None:
        frame = self._wires.frame()
        if frame is None or frame is self._frame or not any(viewer.is_ready for viewer in self._viewers):
            return
        self._hands.picture = (frame.width, frame.height)
        self._picture = self._encode(frame)
        self._frame = frame
        self._number = self._number % ((1 << 32) - 1) + 1


def _papers(front: Front | None) -> dict[str, Fact]:
    """Return what is to be seen of printer and tickets."""
    if front is None:
        return {}
    return {
        "printer": front.printer,
        "paper_mm": front.printer_paper_mm,
        "tickets": tuple(
            Slip(next((data for _, data in slip.codes), ""), Path(slip.picture).name, slip.complete)
            for slip in front.tickets
        ),
        "returned_tickets": tuple(Slip(number) for number in front.returned_tickets),
        "ticket_in_slot": front.escrow_ticket,
    }


def _update(old: dict[str, _Value], new: Mapping[str, _Value]) -> dict[str, _Value]:
    """Bring `old` up to `new`; return what was different."""
    different = {name: value for name, value in new.items() if name not in old or old[name] != value}
    old.update(different)
    return different
