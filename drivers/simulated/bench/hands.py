"""Input on the bench: translate fingers, mouse and keys into acts on the front and touches on the glass.

No pygame here; the window feeds it points in bench units and key names.
"""

from collections.abc import Callable

from drivers.simulated.bench.layout import BY_KEY, MONITOR, WIDE_CANVAS, Control, Kind, canvas_point, control_at
from drivers.simulated.front import Front


class Hands:
    """The controls that are held, by which finger or key, and their effects.

    `do` takes words (see `drivers.simulated.front.Do`), `touch` a canvas point and whether the finger is
    down. `picture` is the size in pixels of the picture on the glass. A button held by two fingers is released by the
    last one, as on a real panel.
    """

    def __init__(self, do: Callable[[str], None], touch: Callable[[int, int, bool], None]) -> None:
        self._do = do
        self._touch = touch
        self.picture = WIDE_CANVAS
        self._holding: dict[str, Control] = {}
        self._on_monitor: dict[str, tuple[float, float]] = {}

    @property
    def held(self) -> frozenset[str]:
        """The names of the controls under a finger."""
        return frozenset(control.name for control in self._holding.values())

    def point_down(self, finger: str, x: float, y: float, front: Front | None) -> None:
        """A finger or mouse button goes down at a point in bench units."""
        self.lift(finger, x, y)
        if MONITOR.holds(x, y):
            self._on_monitor[finger] = (x, y)
            self._touch(*canvas_point(x, y, self.picture), True)  # noqa: FBT003 - the wire's own `down`
            return
        control = control_at(x, y)
        if control is not None:
            self.grasp(finger, control, front)

    def lift(self, finger: str, x: float, y: float) -> None:
        """A finger or mouse button goes up, wherever it has moved."""
        if self._on_monitor.pop(finger, None) is not None:
            self._touch(*canvas_point(x, y, self.picture), False)  # noqa: FBT003 - the wire's own `down`
        self.let_go(finger)

    def lift_in_place(self, finger: str) -> None:
        """A finger or key goes up where it went down."""
        self.lift(finger, *self._on_monitor.get(finger, (0, 0)))

    def key_down(self, key: str, front: Front | None) -> None:
        """A key, by its pygame name, goes down; keys without a control do nothing."""
        control = BY_KEY.get(key)
        if control is not None:
            self.grasp(f"key {key}", control, front)

    def key_up(self, key: str) -> None:
        """A key goes up."""
        self.let_go(f"key {key}")

    def let_all_go(self) -> None:
        """The window lost the keyboard or the mouse: no release would ever be reported."""
        for finger in (*self._on_monitor, *self._holding):
            self.lift_in_place(finger)

    def grasp(self, finger: str, control: Control, front: Front | None) -> None:
        """A finger or key goes down on a control."""
        already = control.name in self.held
        self._holding[finger] = control
        if control.kind is Kind.TOGGLE:
            # Which way a switch goes depends on its position; without hardware it is unknown.
            if front is not None:
                self._do(control.up if control.is_on(front) else control.down)
        elif control.kind is Kind.CLICK or not already:
            self._do(control.down)

    def let_go(self, finger: str) -> None:
        """A finger or key lets its control go, if it has one."""
        control = self._holding.pop(finger, None)
        if control is not None and control.kind is Kind.HOLD and control.name not in self.held:
            self._do(control.up)
