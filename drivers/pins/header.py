"""The GPIO header with its expanders: pins with types and clear errors.

The pin factory is created explicitly and passed to every gpiozero device: gpiozero's default silently falls back from
one library to the next, down to an experimental one. Of the drivers only this module, `drivers.expander.factory` and
`drivers.gpio` import gpiozero.

If a chip is gone or not there yet, using or claiming one of its pins raises `PortError`. Idle drivers detect that with
`watch`. A pin that is claimed afterwards is on the new chip.
"""

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from functools import partial
from traceback import clear_frames
from typing import Any
from weakref import WeakSet

from gpiozero import GPIODevice, GPIOZeroError, InputDevice, OutputDevice

from common.error_words import error_words
from drivers.clock import Clock
from drivers.errors import PortError, SettingsError
from drivers.expander.chip import ExpanderChip
from drivers.expander.factory import ExpanderFactory
from drivers.pin_names import Pin, expander_pin

LOOK_S = 0.25
"""How often the header's chip is checked."""
_GONE = "the GPIO header's chip is gone; look after the board and what is plugged on it"


class OutputPin:
    """One output, active high and initially off; `on` is its last set state."""

    def __init__(self, header: "PinHeader", pin: Pin, label: str) -> None:
        self.label = f"{label} ({_named(pin)})"
        self._header = header
        self._pin = pin
        self._device = header.claimed(self.label, partial(OutputDevice, pin, initial_value=False), pin)
        self.on = False

    def set(self, *, on: bool) -> None:
        """Switch the output on or off; raise `PortError` if the pin fails."""
        with self._header.named_errors(self.label, self._device):
            self._device.value = on
        self.on = on

    @property
    def level(self) -> bool:
        """The level read back from the pin (of an expander: at its last exchange); `on` unless the pin is held."""
        return self._header.read_back(self._pin, self._device)

    @property
    def closed(self) -> bool:
        """Whether the pin has been released."""
        return bool(self._device.closed)

    def close(self) -> None:
        """Switch the output off and release the pin; may be called twice.

        The pin becomes an input: an output stage needs its own pull-down, as it does while the Pi boots.
        """
        if self._device.closed:
            return
        try:
            if not self._header.has_lost(self._device):
                self.set(on=False)
        finally:
            self._header.give_back(self._device, self.label)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.label} {'on' if self.on else 'off'}>"


def close_all(outputs: MutableMapping[str, OutputPin]) -> None:
    """Switch off and release every output, even if one fails; `outputs` is empty afterwards."""
    while outputs:
        _name, output = outputs.popitem()
        try:
            output.close()
        except BaseException:
            # one failing pin must not leave the others energised
            close_all(outputs)
            raise


class InputPin:
    """One input with the Pi's or the expander's own pull-up: an open contact reads True."""

    def __init__(self, header: "PinHeader", pin: Pin, label: str, on_edge: Callable[[bool], None]) -> None:
        self.label = f"{label} ({_named(pin)})"
        self._header = header
        # gpiozero keeps handlers by weak reference only
        self._on_edge = on_edge
        self._device = header.claimed(self.label, partial(InputDevice, pin, pull_up=True), pin)
        try:
            with header.named_errors(self.label, self._device):
                self._device.pin.edges = "both"
                self._device.pin.when_changed = self._changed
        except PortError:
            header.give_back(self._device, self.label)
            raise

    def _changed(self, _ticks: float, state: float) -> None:
        self._on_edge(bool(state))

    @property
    def level(self) -> bool:
        """The present electrical level."""
        with self._header.named_errors(self.label, self._device):
            return bool(self._device.pin.state)

    def close(self) -> None:
        """Stop watching and release the pin; may be called twice."""
        if self._device.closed:
            return
        try:
            if not self._header.has_lost(self._device):
                with self._header.named_errors(self.label, self._device):
                    self._device.pin.when_changed = None
        finally:
            self._header.give_back(self._device, self.label)

    def __repr__(self) -> str:
        state = "closed" if self._device.closed else "high" if self.level else "low"
        return f"<{type(self).__name__} {self.label} {state}>"


class PinHeader:
    """The header and its expanders; creates pins with gpiozero factories.

    `open_factory` opens a gpiozero pin factory (tests pass one for a `MockFactory`) and raises `PortError` if there is
    none. It is called for the first pin, and again after `is_gone(factory)` has reported that the chip is gone and
    closed it. Without `is_gone` the chip is never considered gone. `errors` are exceptions of its library besides
    gpiozero's own and `OSError`. `chips` are the expanders by name (`x20`), each with its own factory.
    """

    def __init__(
        self,
        open_factory: Callable[[], Any],
        errors: tuple[type[Exception], ...] = (),
        chips: Mapping[str, ExpanderChip] | None = None,
        *,
        is_gone: Callable[[Any], bool] | None = None,
    ) -> None:
        self._open_factory = open_factory
        self._factory: Any = None
        self._is_gone = is_gone
        self.chips = dict(chips or {})
        self._expanders = {name: ExpanderFactory(chip) for name, chip in self.chips.items()}
        self._errors = (GPIOZeroError, OSError, *errors)
        self._outputs: WeakSet[OutputPin] = WeakSet()

    @property
    def factory(self) -> Any:
        """The factory of the header's own pins; raise `PortError` if there is no chip."""
        if self._factory is None:
            self._factory = self._open_factory()
        return self._factory

    async def watch(self, clock: Clock) -> None:
        """Raise `PortError` when the present chip is gone; return at once if that cannot be detected."""
        factory = self._factory
        if self._is_gone is None or factory is None:
            return
        while self._factory is factory:
            await clock.sleep(LOOK_S)
            self._look()
        raise PortError(_GONE)

    def _look(self) -> None:
        """Drop the factory of a chip that is gone."""
        if self._is_gone is not None and self._factory is not None and self._is_gone(self._factory):
            self._factory = None

    def has_lost(self, device: GPIODevice) -> bool:
        """Return whether a device belongs to a chip that is gone."""
        return device.pin_factory is not self._factory and device.pin_factory not in self._expanders.values()

    def give_back(self, device: GPIODevice, label: str) -> None:
        """Release a device's pin; raise `PortError` if that fails, but not for a chip that is gone."""
        try:
            with self.named_errors(label):
                device.close()
        except PortError:
            if not self.has_lost(device):
                raise
            device.close()

    def factory_of(self, pin: Pin) -> Any:
        """Return the factory for `pin`; raise `SettingsError` for an expander that is not configured."""
        named = expander_pin(pin)
        if named is None:
            return self.factory
        if named.expander not in self._expanders:
            raise SettingsError(f"there is no expander for pin {pin}; add [pins.expanders.{named.expander}]")
        return self._expanders[named.expander]

    def output(self, pin: Pin, label: str) -> OutputPin:
        """Claim `pin` as an output that is off; raise a `PortError` that names `label` and pin."""
        output = OutputPin(self, pin, label)
        self._outputs.add(output)
        return output

    def claimed(self, label: str, device: Callable[..., GPIODevice], pin: Pin) -> GPIODevice:
        """Create a device on `pin`; after a `PortError` the pin can be claimed again."""
        factory = self.factory_of(pin)
        try:
            with self.named_errors(label):
                return device(pin_factory=factory)
        except PortError as error:
            # gpiozero reserves a pin before it sets it up: clearing the frames deletes the incomplete device
            if error.__cause__ is not None:
                clear_frames(error.__cause__.__traceback__)
            raise

    @property
    def outputs(self) -> list[OutputPin]:
        """All claimed outputs, sorted by label."""
        return sorted((output for output in self._outputs if not output.closed), key=lambda output: output.label)

    def read_back(self, pin: Pin, device: OutputDevice) -> bool:
        """Return the level read back from an output's pin; raise `PortError` if it cannot be read."""
        named = expander_pin(pin)
        with self.named_errors(_named(pin), device):
            if named is not None:
                return self.chips[named.expander].level(named.bit)
            return bool(device.pin.state)

    def input(self, pin: Pin, label: str, on_edge: Callable[[bool], None]) -> InputPin:
        """Claim `pin` as an input; each edge calls `on_edge(level)` on another thread.

        Raises `PortError` naming `label` and pin.
        """
        return InputPin(self, pin, label, on_edge)

    @contextmanager
    def named_errors(self, label: str, device: GPIODevice | None = None) -> Iterator[None]:
        """Turn the pin library's errors into a `PortError` that names the pin; raise one too if `device` is lost."""
        if device is not None and self.has_lost(device):
            raise PortError(f"{label}: {_GONE}")
        try:
            yield
        except self._errors as error:
            self._look()
            raise PortError(f"{label}: {error_words(error)}; check the pin numbers in [pins] and the wiring") from error

    def close(self) -> None:
        """Make every pin an input again; may be called twice."""
        for expander in self._expanders.values():
            expander.close()
        for chip in self.chips.values():
            chip.close()
        self._look()
        if self._factory is not None:
            with self.named_errors("header"):
                self._factory.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {type(self._factory).__name__}>"


def _named(pin: Pin) -> str:
    return f"GPIO {pin}" if isinstance(pin, int) else pin
