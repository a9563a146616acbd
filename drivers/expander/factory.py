"""gpiozero pins of an expander, so that gpiozero devices work on them as on the header."""

import time
from collections.abc import Callable
from typing import Any

from gpiozero import PinInvalidFunction, PinInvalidPin, PinInvalidPull, PinSetInput
from gpiozero.pins import BoardInfo, Factory, HeaderInfo, Pin, PinInfo

from drivers.expander.chip import ExpanderChip
from drivers.pin_names import ExpanderPin

_PINS = 16


class ExpanderFactory(Factory):  # type: ignore[misc]  # gpiozero publishes no types
    """Creates the pins of `chip`, named as in `cabinet.toml` (`x20.A3`)."""

    def __init__(self, chip: ExpanderChip) -> None:
        super().__init__()
        self.chip = chip
        self._pins: dict[str, ChipPin] = {}
        self._board = _board(chip.name)

    def pin(self, name: str) -> "ChipPin":
        """Return the pin of that name, the same one each time."""
        if name not in self._pins:
            found = next((info for _header, info in self._board.find_pin(name)), None)
            if found is None:
                raise PinInvalidPin(f"{name} is no pin of {self.chip.label}")
            self._pins[name] = ChipPin(self, found, found.number - 1)
        return self._pins[name]

    def ticks(self) -> float:
        """Monotonic seconds."""
        return time.monotonic()

    def ticks_diff(self, later: float, earlier: float) -> float:
        """Seconds between two ticks."""
        return later - earlier

    def close(self) -> None:
        """Make every pin an input again."""
        for pin in self._pins.values():
            pin.close()

    def _get_board_info(self) -> Any:
        return self._board

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.chip!r}>"


class ChipPin(Pin):  # type: ignore[misc]  # gpiozero publishes no types
    """One pin: input with or without the chip's pull-up of 100 kOhm, or output."""

    def __init__(self, factory: ExpanderFactory, info: Any, bit: int) -> None:
        self.factory = factory
        self._info = info
        self._bit = bit
        self._pull = "floating"
        self._when_changed: Callable[[float, int], None] | None = None

    def close(self) -> None:
        """Make the pin an input without a watcher."""
        self._set_when_changed(None)
        self._pull = "floating"
        self.factory.chip.make_input(self._bit, pull_up=False)

    def output_with_state(self, state: float) -> None:
        """Make the pin an output that starts with that level."""
        self.factory.chip.make_output(self._bit, on=bool(state))

    def _get_info(self) -> Any:
        return self._info

    def _get_function(self) -> str:
        return "input" if self.factory.chip.is_input(self._bit) else "output"

    def _set_function(self, value: str) -> None:
        if value == "input":
            self.factory.chip.make_input(self._bit, pull_up=self._pull == "up")
        elif value == "output":
            self.factory.chip.make_output(self._bit, on=False)
        else:
            raise PinInvalidFunction(f"{self._info.name} can be input or output, not {value}")

    def _get_state(self) -> int:
        chip = self.factory.chip
        return int(chip.level(self._bit) if chip.is_input(self._bit) else chip.output(self._bit))

    def _set_state(self, value: float) -> None:
        if self.factory.chip.is_input(self._bit):
            raise PinSetInput(f"cannot set the state of {self._info.name}, which is an input")
        self.factory.chip.make_output(self._bit, on=bool(value))

    def _get_pull(self) -> str:
        return self._pull

    def _set_pull(self, value: str) -> None:
        if value not in ("up", "floating"):
            raise PinInvalidPull(f"{self._info.name} has a pull-up only; its pull cannot be {value}")
        self._pull = value
        self.factory.chip.make_input(self._bit, pull_up=value == "up")

    def _get_edges(self) -> str:
        return "both"

    def _set_edges(self, value: str) -> None:
        if value != "both":
            raise PinInvalidFunction(f"{self._info.name} reports both edges, not {value}")

    def _get_when_changed(self) -> Callable[[float, int], None] | None:
        return self._when_changed

    def _set_when_changed(self, value: Callable[[float, int], None] | None) -> None:
        self._when_changed = value
        self.factory.chip.watch(self._bit, None if value is None else self._changed)

    def _changed(self, level: bool) -> None:  # noqa: FBT001 - the chip's callback
        when_changed = self._when_changed
        if when_changed is not None:
            when_changed(self.factory.ticks(), int(level))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._info.name}>"


def _board(expander: str) -> Any:
    """Describe the chip to gpiozero as a board with one header of sixteen pins."""
    pins = {}
    for bit in range(_PINS):
        name = str(ExpanderPin(expander, bit))
        pins[bit + 1] = PinInfo(bit + 1, name, frozenset({name}), "", bit // 8 + 1, bit % 8 + 1, frozenset({"gpio"}))
    unknown = dict.fromkeys(BoardInfo._fields, "")
    header = HeaderInfo(expander, 2, _PINS // 2, pins)
    return BoardInfo(**{**unknown, "model": "MCP23017", "manufacturer": "Microchip", "headers": {expander: header}})
