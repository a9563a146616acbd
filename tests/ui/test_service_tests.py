"""The display's part in the service tests: pictures, touches with their calibration, and the loudspeakers."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.rigs.patience import PATIENCE_S
from tests.ui.display_process import ROOT, DisplayProcess
from tests.ui.hearing import Ear
from tests.ui.rehearsal import BAKED, Rehearsal, neptune_view
from ui.cues import Cues
from ui.director import Director
from ui.layout import SHAPES
from ui.protocol.messages import (
    MAX_PACKET,
    Frames,
    Hello,
    Press,
    ServicePage,
    ServiceSound,
    Snapshot,
    Touch,
    decode_to_supervisor,
)
from ui.scenes.service_patterns import PICTURES, TOUCHED
from ui.sound import TEST
from ui.theme import load
from ui.touch import TouchEvent, calibrated, in_units

CONTROLS = ("lines", "bet", "spin", "collect", "service:back", "service:enter")


def page(picture: str, **changes: object) -> ServicePage:
    """A test that shows a picture."""
    page = {"code": "T.13", "title": "Display and touch", "who": "technician", "testing": True, **changes}
    return ServicePage(picture=picture, **page)  # type: ignore[arg-type]  # the page's own keywords


@pytest.mark.parametrize("shape", sorted(SHAPES))
@pytest.mark.parametrize("picture", sorted(PICTURES))
def test_a_finger_leaves_each_picture(picture: str, shape: str) -> None:
    """Anywhere, but where touches are shown: there it has a key of its own, and none while it is calibrated."""
    rehearsal = Rehearsal(shape=shape)
    rehearsal.view(neptune_view(state="service_menu", service=page(picture, marks=((640, 360),)), controls=CONTROLS))
    rehearsal.picture()
    width, height = SHAPES[shape].canvas
    zoom = 1.5 if height > width else 1
    felt = {
        place: rehearsal.scene_manager.touch(*where, rehearsal.now)
        for place, where in (("corner", (3, 3)), ("key", (width / 2, height - 52 * zoom)))
    }
    everywhere = {"corner": "service:back", "key": "service:back"}
    assert felt == {"touch": {**everywhere, "corner": ""}, "calibrate": dict.fromkeys(felt, "")}.get(
        picture, everywhere
    )


def test_only_the_frame_rate_moves() -> None:
    """Its bar asks for every frame; the others do not move and cost nothing."""
    for picture in PICTURES:
        rehearsal = Rehearsal()
        rehearsal.view(neptune_view(state="service_menu", service=page(picture), controls=CONTROLS))
        first = rehearsal.pixels()
        moves = rehearsal.scene_manager.due(rehearsal.now) <= rehearsal.now
        rehearsal.wait(0.5)
        assert (moves, rehearsal.pixels() != first) == (picture == "frames",) * 2, picture


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_a_mark_lies_where_the_finger_was(shape: str) -> None:
    """Units of 1280x720 mean the same place on every monitor."""
    canvas = SHAPES[shape].canvas
    rehearsal = Rehearsal(shape=shape)
    finger = TouchEvent(canvas[0] // 8, canvas[1] - canvas[1] // 8, down=True)
    sent = in_units(finger, canvas)
    assert (sent.x, sent.y) == (160, 630)
    rehearsal.view(neptune_view(state="service_menu", service=page("touch"), controls=CONTROLS))
    before = rehearsal.picture().get_at((finger.x, finger.y))
    marked = page("touch", marks=((sent.x, sent.y),))
    rehearsal.view(neptune_view(state="service_menu", service=marked, controls=CONTROLS))
    assert rehearsal.picture().get_at((finger.x, finger.y)) != before


def test_a_calibration_moves_every_touch() -> None:
    """It is applied in units of 1280x720, on every shape; without one a touch stays what it is."""
    touch = TouchEvent(540, 960, down=True)
    assert calibrated(touch, (1080, 1920), ()) == touch
    upside_down = (-1.0, 0.0, 1280.0, 0.0, -1.0, 720.0)
    assert calibrated(TouchEvent(100, 200, down=True), (1080, 1920), upside_down) == TouchEvent(980, 1720, down=True)
    shifted = (1.0, 0.0, -64.0, 0.0, 1.0, 36.0)
    assert calibrated(touch, (1080, 1920), shifted) == TouchEvent(486, 1056, down=True)


@pytest.fixture
def process(tmp_path: Path) -> Iterator[DisplayProcess]:
    if not (BAKED / "ui").exists():
        pytest.fail(f"{BAKED} is not baked; run `make bake`")
    process = DisplayProcess(tmp_path)
    process.start()
    process.accept()
    process.say(Hello())
    yield process
    process.end()


def test_the_display_sends_touches_raw_while_it_calibrates(process: DisplayProcess) -> None:
    """In the touch test they are sent as they count, in the calibration as they come; elsewhere they are presses."""
    shifted = (1.0, 0.0, 100.0, 0.0, 1.0, 50.0)
    heard = {}
    for turn, picture in enumerate(("touch", "calibrate", "grid"), start=1):
        view = neptune_view(state="service_menu", service=page(picture), controls=CONTROLS, touch=shifted)
        shown = process.frame()[0]
        process.say(Snapshot(turn, view))
        process.until(lambda shown=shown: process.frame()[0] > shown)  # type: ignore[misc]
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as hand:
            hand.connect(str(process.run / "touch.sock"))
            hand.send(json.dumps({"x": 200, "y": 300, "down": True}).encode())
            heard[picture] = process.hear()
    assert heard == {
        "touch": Touch(300, 350, down=True),
        "calibrate": Touch(200, 300, down=True),
        "grid": Press("service:back", 3),
    }
    assert set(heard) - {"grid"} == TOUCHED


def test_the_display_says_how_it_does_while_a_test_is_open(process: DisplayProcess) -> None:
    """Also where nothing moves: no frame drawn is a figure too, and whether there is a sound device."""
    process.say(Snapshot(1, neptune_view(state="service_menu", service=page(""), controls=CONTROLS)))
    assert process.peer is not None
    for _ in range(20):
        message = decode_to_supervisor(process.peer.recv(MAX_PACKET))
        if isinstance(message, Frames) and message.presented == 0 and message.sound is not None:
            break
    else:
        pytest.fail("no statistics of a picture at rest")
    assert message.sound


class NearEar(Ear):
    """A player that also keeps what it was asked to test."""

    def __init__(self) -> None:
        super().__init__()
        self.tested: list[tuple[str, int]] = []

    def test(self, channel: str, percent: int) -> None:
        self.tested.append((channel, percent))


def test_each_new_sound_is_played_once() -> None:
    """A sound of a number that was played is not repeated, nor one from before this display began."""
    ear, director = NearEar(), Director(cache(load))
    cues = Cues(ear)
    for number in (3, 3, 4, 4, 5):
        sound = ServiceSound(number=number, channel="left", volume=50)
        director.handle(Snapshot(1, neptune_view(state="service_menu", service=page("", sound=sound))), 0.0)
        for _ in range(3):
            cues.follow(director, 0.0)
    assert ear.tested == [("left", 50)] * 2


PLAY = """
import sys, pygame
from pathlib import Path
from ui.sound import Sound
player = Sound(Path(sys.argv[1]))
player.load()
player.muted = True
player.test(sys.argv[2], int(sys.argv[3]))
pygame.time.wait(400)
pygame.mixer.quit()
"""
"""Plays the test's sound into a file: SDL's disk driver writes what a loudspeaker would get."""


def played(folder: Path, channel: str, percent: int) -> tuple[float, float]:
    """Return how loud left and right were."""
    recording = folder / "played.raw"
    disk = {"SDL_AUDIODRIVER": "disk", "SDL_DISKAUDIOFILE": str(recording), "SDL_DISKAUDIODELAY": "0"}
    words = [sys.executable, "-c", PLAY, str(folder), channel, str(percent)]
    subprocess.run(words, cwd=ROOT, env={**os.environ, **disk}, check=True, timeout=PATIENCE_S)
    samples = np.fromfile(recording, dtype="<i2").reshape(-1, 2).astype(float)
    left, right = np.abs(samples).max(axis=0)
    return float(left), float(right)


@pytest.fixture
def tone(tmp_path: Path) -> Path:
    """A folder with the test's sound in it: a tone of 9,000."""
    samples = (np.sin(np.arange(44_100) / 20) * 9_000).astype("<i2")
    soundfile.write(tmp_path / f"{TEST}.flac", samples, 44_100)
    return tmp_path


@pytest.mark.processes
def test_each_loudspeaker_is_heard_alone(tone: Path) -> None:
    """Left is left and right is right, as loud as was asked, though the player has muted the game."""
    for channel, shares in (("left", (1, 0)), ("right", (0, 1)), ("both", (1, 1))):
        for percent in (100, 50):
            loud = [share * 9_000 * percent / 100 for share in shares]
            assert played(tone, channel, percent) == pytest.approx(loud, abs=300), (channel, percent)
