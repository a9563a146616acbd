"""T.12, loudspeakers: left, right and both, at four volumes; the display plays the sound."""

from collections.abc import Sequence

from controller.features.diagnostics.context import TestContext
from controller.features.diagnostics.device_test import DeviceTest, device_test_page
from controller.features.diagnostics.events import DiagnosticEvent
from controller.service.attendant import CONNECTED, NOT_CONNECTED
from controller.service.page import DeviceAction, Line
from ui.protocol.messages import Frames, ServiceSound

CHANNELS = {"both": "Both loudspeakers", "left": "Left loudspeaker", "right": "Right loudspeaker"}
VOLUMES = (25, 50, 75, 100)
"""The volumes in percent."""
OPEN, NO_DEVICE, NOT_KNOWN = "works", "no sound device", "not known"
NOBODY_PLAYS = "There is no display that could play it"


class SoundTest(DeviceTest):
    """T.12: ENTER plays the sound on the loudspeakers of the row, muted or not."""

    def __init__(self, context: TestContext) -> None:
        super().__init__(context)
        self._volume = 75
        self._sound: ServiceSound | None = None
        self._device: bool | None = None

    @property
    def sound(self) -> ServiceSound | None:
        """The newest sound."""
        return self._sound

    def frames(self, frames: Frames) -> None:
        """Note whether there is a sound device."""
        self._device = frames.sound
        self.context.changed()

    def lines(self) -> Sequence[Line]:
        """Return the sounds to play, then the display and its sound device."""
        connected = self.context.machine.screen.connected
        device = self._device if connected else None
        words = NOT_KNOWN if device is None else OPEN if device else NO_DEVICE
        return (
            *(Line(label, leads=self._plays(to)) for to, label in CHANNELS.items()),
            Line("Volume", f"{self._volume} %", leads=DeviceAction(lambda _submission: self._louder())),
            Line("Display", CONNECTED if connected else NOT_CONNECTED, tone="good" if connected else "bad"),
            Line("Sound device", words, tone="plain" if device is None else "good" if device else "bad"),
        )

    def _plays(self, channel: str) -> DeviceAction:
        return DeviceAction(lambda _submission: self._play(channel))

    async def _play(self, channel: str) -> str:
        if not self.context.machine.screen.connected:
            return NOBODY_PLAYS
        number = 1 if self._sound is None else self._sound.number + 1
        self._sound = ServiceSound(number=number, channel=channel, volume=self._volume)
        await self.context.record(DiagnosticEvent.SOUND, channel=channel, percent=self._volume)
        return ""

    async def _louder(self) -> str:
        self._volume = VOLUMES[(VOLUMES.index(self._volume) + 1) % len(VOLUMES)]
        return ""


PAGES = (device_test_page("T.12", "Sound", SoundTest),)
