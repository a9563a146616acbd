"""Opens the configured GPIO header: the Pi's through lgpio, or the simulated one."""

from collections.abc import Collection, Mapping
from contextlib import chdir, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from gpiozero import GPIOZeroError

from common.error_words import error_words
from drivers.errors import PortError, SettingsError
from drivers.expander.chip import ExpanderChip
from drivers.expander.i2c import I2cBus, KernelBus
from drivers.pins.header import PinHeader

FACTORIES = ("lgpio", "simulated")


def open_header(factory: str, pins_socket: Path | None = None, expanders: Collection[str] = ()) -> PinHeader:
    """Open the header that `[pins] factory` names, with the expanders on its I2C bus.

    An expander that does not answer raises later, in its driver. `pins_socket` is where the simulated devices listen;
    without it `simulated` is refused, so that a production cabinet cannot run on simulated pins. Raises `SettingsError`
    for a factory that cannot be used here. If the lgpio header does not open, the request for a pin raises `PortError`;
    simulated pins raise it here.
    """
    if factory == "lgpio":
        return _open_lgpio(_chips(KernelBus(), expanders) if expanders else {})
    if factory != "simulated":
        raise SettingsError(f"[pins] factory is '{factory}'; use one of {', '.join(FACTORIES)}")
    if pins_socket is None:
        raise SettingsError('[pins] factory "simulated" exists in `cabinet demo` only; on a cabinet set it to "lgpio"')
    from drivers.simulated.expander.i2c_wire import I2C_SOCKET, WireBus  # noqa: PLC0415 - a real cabinet never loads it
    from drivers.simulated.pins.factory import WireFactory  # noqa: PLC0415 - as above

    chips = _chips(WireBus(pins_socket.with_name(I2C_SOCKET)), expanders) if expanders else {}
    pins = WireFactory(pins_socket)
    return PinHeader(lambda: pins, chips=chips)


def _chips(bus: I2cBus, expanders: Collection[str]) -> dict[str, ExpanderChip]:
    return {name: ExpanderChip(name, bus) for name in expanders}


def _open_lgpio(chips: Mapping[str, ExpanderChip]) -> PinHeader:
    try:
        # lgpio 0.2.2 makes a named pipe in the working directory when it is imported, and opens it there: the unit's is
        # `/`, which is read-only. Both ends stay open, the directory is not needed afterwards.
        with TemporaryDirectory(prefix="cabinet-lgpio") as folder, chdir(folder):
            import lgpio  # noqa: PLC0415 - needed on a cabinet only
            from gpiozero.pins.lgpio import LGPIOFactory  # noqa: PLC0415 - imports lgpio
    except (ImportError, OSError) as error:
        raise SettingsError(
            f'[pins] factory "lgpio" cannot be loaded ({error_words(error)}); install the extra '
            "`cabinet[pi]`, which has it for Python 3.11 and 3.12, and on aarch64 for 3.13"
        ) from error

    def opened() -> LGPIOFactory:
        try:
            return LGPIOFactory()
        except (GPIOZeroError, OSError, lgpio.error) as error:
            raise PortError(
                f"the GPIO header does not open ({error_words(error)}); is this a Raspberry Pi, and may this user use "
                "/dev/gpiochip*?"
            ) from error

    def is_gone(factory: LGPIOFactory) -> bool:
        try:
            lgpio.gpio_get_chip_info(factory._handle)  # noqa: SLF001 - gpiozero closes a chip by its lines, which are gone
        except lgpio.error:
            for pin in factory.pins.values():
                with suppress(lgpio.error):  # the library's thread forgets a line before it finds that it is gone
                    pin.when_changed = None
            factory.pins.clear()  # all factories of the process share these, and the next one makes them anew
            lgpio.gpiochip_close(factory._handle)  # noqa: SLF001 - as above
            factory._handle = None  # noqa: SLF001 - as above
            return True
        return False

    return PinHeader(opened, errors=(lgpio.error,), chips=chips, is_gone=is_gone)
