"""T.14, serial ports: the devices on each, and the newest frames, byte by byte."""

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from controller.faults import place_in_words
from controller.features.diagnostics.context import TestContext
from controller.features.diagnostics.device_test import DeviceTest, device_test_page
from controller.features.diagnostics.events import DiagnosticEvent
from controller.hardware.driver_log import FRAMES_MIN
from controller.journal.transaction import Transaction
from controller.service.page import DeviceAction, Line
from drivers.wire_trace import Frame, TracedPort

_BYTES_A_ROW = 24
NO_PORTS = "No serial port is fitted"
WATCHED, NOT_WATCHED = "watched", "not watched"
HOLD_STILL, GO_ON = "Hold the trace still", "Let the trace go on"
EVERY_FRAME, NO_FRAMES = "Log every frame", "No longer log every frame"
WAYS = {"out": "Sent", "in": "Received"}


class PortTest(DeviceTest):
    """Watches one port at a time; the test itself sends nothing."""

    patient = True

    def __init__(self, context: TestContext) -> None:
        super().__init__(context)
        self._port: TracedPort | None = None
        self._held: tuple[Frame, ...] | None = None
        self._began = 0.0

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        """Stop every trace at the end, so that none uses resources after the test."""
        try:
            yield
        finally:
            self._watch(None)

    def _watch(self, port: TracedPort | None) -> None:
        if self._port is not None:
            self._port.watch(on=False)
        self._port, self._held = port, None
        if port is not None:
            port.watch(on=True)
            self._began = self.context.clock.now()

    @property
    def trace(self) -> tuple[Frame, ...]:
        """The frames shown, oldest first."""
        if self._held is not None:
            return self._held
        return () if self._port is None else self._port.frames

    def lines(self) -> Sequence[Line]:
        """Return the ports with their devices, then the trace of the watched one, newest first."""
        ports = self.context.hardware.ports
        if not ports:
            return (Line(NO_PORTS, tone="bad"),)
        lines = [line for path, port in ports.items() for line in self._port_lines(path, port)]
        lines.append(
            Line(
                NO_FRAMES if self.context.hardware.driver_log.frames else EVERY_FRAME,
                leads=DeviceAction(lambda _submission: self._log_frames()),
            )
        )
        if self._port is not None:
            label = HOLD_STILL if self._held is None else GO_ON
            lines.append(Line(label, leads=DeviceAction(lambda _submission: self._hold())))
            for frame in reversed(self.trace):
                lines += self._frame_lines(frame)
        return lines

    def _port_lines(self, path: str, port: TracedPort) -> list[Line]:
        watched = port is self._port
        return [
            Line(
                "Port {place}",
                WATCHED if watched else NOT_WATCHED,
                place=path,
                tone="good" if watched else "heading",
                leads=DeviceAction(lambda _submission: self._choose(None if watched else port)),
            ),
            *(line for device in self._devices(path) for line in self.context.device_lines(device)),
        ]

    def _devices(self, path: str) -> list[str]:
        config, line = self.context.machine.settings.config, os.path.normpath(path)
        wired = {
            "coin_acceptor": config.coin_acceptor,
            "bill_validator": config.bill_validator,
            "hopper": config.hopper,
        }
        return [name for name, device in wired.items() if device and os.path.normpath(device.port) == line]

    def _frame_lines(self, frame: Frame) -> list[Line]:
        cells = frame.cells
        texts = [" ".join(cells[at : at + _BYTES_A_ROW]) for at in range(0, len(cells), _BYTES_A_ROW)]
        first = Line(WAYS[frame.way], f"{frame.at - self._began:.3f} s", detail=texts[0])
        return [first, *(Line("Further bytes", detail=text) for text in texts[1:])]

    async def _choose(self, port: TracedPort | None) -> str:
        self._watch(port)
        if port is None:
            await self.context.record(DiagnosticEvent.NO_PORT_WATCHED)
        else:
            devices = ", ".join(map(place_in_words, self._devices(port.path)))
            await self.context.record(DiagnosticEvent.PORT_WATCHED, port=f"{port.path} ({devices})")
        return ""

    async def _log_frames(self) -> str:
        log = self.context.hardware.driver_log
        on, code = not log.frames, self.context.code

        def record(tx: Transaction) -> int:
            if on:
                return tx.event(DiagnosticEvent.FRAMES_LOGGED, test=code, minutes=FRAMES_MIN)
            return tx.event(DiagnosticEvent.FRAMES_NOT_LOGGED, test=code)

        await self.context.machine.journal.do(record)
        log.log_frames(on=on)
        return ""

    async def _hold(self) -> str:
        self._held = self.trace if self._held is None else None
        return ""


PAGES = (device_test_page("T.14", "Serial ports", PortTest),)
