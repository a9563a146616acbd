"""The GPIO header with its expanders: pins with types and clear errors.

The factory is built explicitly and handed to every gpiozero device; gpiozero's own choice would fall back silently from
one library to the next and end at an experimental one. Of the drivers only this module, `drivers.expander.factory` and
`drivers.gpio` import gpiozero.

A chip that is gone, or is not there yet, is a `PortError` of whoever has or asks for a pin of it. Idle drivers learn of
it by `watch`. Who claims a pin afterwards gets it on the chip that is there then.
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
"""How often it is looked whether the header's chip is still there."""
_GONE = "the GPIO header's chip is gone; look after the board and what is plugged on it"


class OutputPin:
    """One output, active high, off from the first moment; `on` is what it was last set to."""

    def __init__(self, header: "PinHeader", pin: Pin, label: str) -> None:
        self.label = f"{label} ({_named(pin)})"
        self._header = header
        self._pin = pin
        self._device = header.claimed(self.label, partial(OutputDevice, pin, initial_value=False), pin)
        self.on = False

    def set(self, *, on: bool) -> None:
        """Energise or de-energise; raise `PortError` where the pin refuses."""
        with self._header.named_errors(self.label, self._device):
            self._device.value = on
        self.on = on

    @property
    def level(self) -> bool:
        """What the pin itself reads, an expander's as of its last exchange: `on`, unless something holds it."""
        return self._header.read_back(self._pin, self._device)

    @property
    def closed(self) -> bool:
        """Whether the pin has been given back."""
        return bool(self._device.closed)

    def close(self) -> None:
        """De-energise and give the pin back; may be called twice.

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
    """De-energise every output and give its pin back, the others too where one refuses; `outputs` ends empty."""
    while outputs:
        _name, output = outputs.popitem()
        try:
            output.close()
        except BaseException:
            # one dead pin must not leave the others under current
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
        """The electrical level now."""
        with self._header.named_errors(self.label, self._device):
            return bool(self._device.pin.state)

    def close(self) -> None:
        """Stop watching and give the pin back; may be called twice."""
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
    """The header as the drivers see it, with its expanders: asks gpiozero factories for pins.

    `open_factory` opens a gpiozero pin factory (tests pass a `MockFactory`'s) and raises `PortError` where there is
    none; it is asked with the first pin, and again once `is_gone(factory)` has said that the chip is gone and let go of
    it. Without `is_gone` it cannot go. `errors` are exceptions of its library besides gpiozero's own and `OSError`.
    `chips` are the expanders by name (`x20`), each with its own factory.
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
        """The factory of the header's own pins; raise `PortError` where there is no chip."""
        if self._factory is None:
            self._factory = self._open_factory()
        return self._factory

    async def watch(self, clock: Clock) -> None:
        """Raise `PortError` as soon as the chip that is there now is gone; return at once where it cannot go."""
        factory = self._factory
        if self._is_gone is None or factory is None:
            return
        while self._factory is factory:
            await clock.sleep(LOOK_S)
            self._look()
        raise PortError(_GONE)

    def _look(self) -> None:
        """Let go of a chip that is gone."""
        if self._is_gone is not None and self._factory is not None and self._is_gone(self._factory):
            self._factory = None

    def has_lost(self, device: GPIODevice) -> bool:
        """Whether a device sits on a chip that is gone."""
        return device.pin_factory is not self._factory and device.pin_factory not in self._expanders.values()

    def give_back(self, device: GPIODevice, label: str) -> None:
        """Give a device's pin back; raise `PortError` where it refuses. A chip that is gone has nothing to refuse."""
        try:
            with self.named_errors(label):
                device.close()
        except PortError:
            if not self.has_lost(device):
                raise
            device.close()

    def factory_of(self, pin: Pin) -> Any:
        """Return the factory that makes `pin`; raise `SettingsError` for an expander that is not there."""
        named = expander_pin(pin)
        if named is None:
            return self.factory
        if named.expander not in self._expanders:
            raise SettingsError(f"there is no expander for pin {pin}; add [pins.expanders.{named.expander}]")
        return self._expanders[named.expander]

    def output(self, pin: Pin, label: str) -> OutputPin:
        """Claim `pin` as an output that is off; raise `PortError` naming `label` and pin."""
        output = OutputPin(self, pin, label)
        self._outputs.add(output)
        return output

    def claimed(self, label: str, device: Callable[..., GPIODevice], pin: Pin) -> GPIODevice:
        """Make a device on `pin`; raise `PortError`, after which the pin can be claimed again."""
        factory = self.factory_of(pin)
        try:
            with self.named_errors(label):
                return device(pin_factory=factory)
        except PortError as error:
            # gpiozero reserves a pin before it moves it: the half-made device lives in these frames and goes with them
            if error.__cause__ is not None:
                clear_frames(error.__cause__.__traceback__)
            raise

    @property
    def outputs(self) -> list[OutputPin]:
        """Every output that is claimed now, by label."""
        return sorted((output for output in self._outputs if not output.closed), key=lambda output: output.label)

    def read_back(self, pin: Pin, device: OutputDevice) -> bool:
        """Return the level that an output's pin reads; raise `PortError` where it cannot be read."""
        named = expander_pin(pin)
        with self.named_errors(_named(pin), device):
            if named is not None:
                return self.chips[named.expander].level(named.bit)
            return bool(device.pin.state)

    def input(self, pin: Pin, label: str, on_edge: Callable[[bool], None]) -> InputPin:
        """Claim `pin` as an input; each edge calls `on_edge(level)` on a foreign thread.

        Raises `PortError` naming `label` and pin.
        """
        return InputPin(self, pin, label, on_edge)

    @contextmanager
    def named_errors(self, label: str, device: GPIODevice | None = None) -> Iterator[None]:
        """Turn the pin library's errors into a `PortError` that names the pin; a `device` must not be a lost one."""
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
