import os
import wave
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pygame
import pytest

from controller.domain import Volumes
from ui.baking.sounds.cabinet import SOUNDS
from ui.baking.sounds.synthesis import RATE
from ui.sound import Sound, volume_of

PATIENCE_MS = 5_000
os.environ["SDL_AUDIODRIVER"] = "dummy"


def write(path: Path) -> None:
    """Write a second of a tone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(44_100)
        file.writeframes((np.sin(np.arange(44_100) / 20) * 9_000).astype("<i2").tobytes())


@pytest.fixture
def sound(tmp_path: Path) -> Iterator[Sound]:
    """Return a loaded player on SDL's silent device, with a world of its own music."""
    for name in ("background", "button", "door_alarm", "line_win_small", "sea/background"):
        write(tmp_path / f"{name}.wav")
    player = Sound(tmp_path)
    player.load()
    yield player
    pygame.mixer.quit()


def test_each_group_has_its_volume_and_overall_scales_them_all() -> None:
    """Wins, game and background go by themselves; overall halves what it is half of; calls for a hand stay loud."""
    full = Volumes()
    groups = {"wins": ("line_win_small", "big_win", "roll_up", "jackpot"), "game": ("reel_stop", "button", "scatter_3")}
    groups["background"] = ("background", "free_spins_music", "feature_music")
    for group, names in groups.items():
        silent = Volumes(**{group: 0})
        for name in names:
            assert volume_of(name, silent) == 0
            assert volume_of(name, Volumes(overall=50)) == volume_of(name, full) / 2
        others = [name for other, theirs in groups.items() if other != group for name in theirs]
        assert all(volume_of(name, silent) == volume_of(name, full) for name in others)
    assert volume_of("door_alarm", Volumes(game=0, overall=0)) == volume_of("door_alarm", full) > 0


def test_a_world_s_own_music_replaces_the_shared_one(sound: Sound) -> None:
    """One loop at a time; leaving the world brings the shared one back."""
    sound.loop(frozenset({"background"}))
    assert "0 of no world" in repr(sound)
    sound.world = "sea"
    deadline = pygame.time.get_ticks() + PATIENCE_MS
    while "1 of sea" not in repr(sound):
        assert pygame.time.get_ticks() < deadline, "the world's sounds were not read"
    sound.loop(frozenset({"background"}))
    assert pygame.mixer.get_busy()
    sound.world = ""
    assert "0 of no world" in repr(sound)


def test_without_its_own_music_a_feature_is_heard_over_the_background(sound: Sound) -> None:
    """A loop that no world has is not silence."""
    sound.loop(frozenset({"feature_music"}))
    assert pygame.mixer.get_busy()


def test_muted_nothing_sounds(sound: Sound) -> None:
    """Neither a loop nor a single sound; what went round has faded out."""
    sound.muted = True
    sound.loop(frozenset({"background"}))
    sound.play("button")
    assert not pygame.mixer.get_busy()


def test_an_alarm_is_heard_though_the_game_is_muted(sound: Sound) -> None:
    """The player's choice does not keep an open door silent (D2)."""
    sound.muted = True
    sound.play("door_alarm")
    assert pygame.mixer.get_busy()


def test_the_alarm_sounds_long_enough() -> None:
    """An open door is heard for a second and a half at least (D2)."""
    render, _peak = SOUNDS["door_alarm"]
    loud = np.flatnonzero(np.abs(render()) > 0.1)
    assert (loud[-1] - loud[0]) / RATE >= 1.5


def test_before_it_is_loaded_playing_does_nothing(tmp_path: Path) -> None:
    """The first picture does not wait for sounds."""
    player = Sound(tmp_path)
    player.world, player.volumes = "sea", Volumes(wins=10)
    player.play("button")
    player.loop(frozenset({"background"}))
    assert player.world == ""


def test_whether_there_is_a_sound_device_is_known_once_it_was_tried(tmp_path: Path, sound: Sound) -> None:
    """Before it is unknown; after it the check-out is reported (T.18)."""
    assert Sound(tmp_path).is_open is None
    assert sound.is_open is True
