import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pygame
import pytest
import soundfile

from tests.rigs.patience import PATIENCE_S
from ui.baking.sounds.cabinet import SOUNDS
from ui.baking.sounds.synthesis import RATE
from ui.music import DUCKED
from ui.protocol.values import Volumes
from ui.sound import Sound, volume_of

PATIENCE_MS = 5_000
os.environ["SDL_AUDIODRIVER"] = "dummy"


def write(path: Path) -> None:
    """Write a second of a tone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, (np.sin(np.arange(44_100) / 20) * 9_000).astype("<i2"), 44_100)


def write_music(path: Path, pitch: float) -> None:
    """Write two seconds of a tone as Ogg Vorbis."""
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, np.sin(np.arange(88_200) * pitch) * 0.2, RATE, format="OGG", subtype="VORBIS")


@pytest.fixture
def sound(tmp_path: Path) -> Iterator[Sound]:
    """Return a loaded player on SDL's silent device, with a world of its own sounds."""
    for name in ("button", "door_alarm", "line_win_small", "big_win", "reel_spin", "sea/button"):
        write(tmp_path / f"{name}.flac")
    for number, name in enumerate(("background", "win_music", "sea/background", "sea/win_music")):
        write_music(tmp_path / f"{name}.ogg", 0.05 + 0.01 * number)
    player = Sound(tmp_path)
    player.load()
    yield player
    pygame.mixer.music.unload()
    pygame.mixer.quit()


def loudness() -> float:
    """Return how loud the music is played, 1 being as it was baked."""
    return float(pygame.mixer.music.get_volume())


def run(sound: Sound, since: float, until: float) -> float:
    """Advance the player frame by frame; return when it ended."""
    now = since
    while now < until:
        now += 1 / 60
        sound.advance(now)
    return now


def test_each_group_has_its_volume_and_overall_scales_them_all() -> None:
    """Wins, game and background go by themselves; overall halves what it is half of; calls for a hand stay loud."""
    full = Volumes()
    groups = {"wins": ("line_win_small", "big_win", "roll_up", "jackpot"), "game": ("reel_stop", "button", "scatter_3")}
    groups["wins"] += ("mega_win", "last_hit", "win_music")
    groups["background"] = ("background", "free_spins_music", "feature_music")
    for group, names in groups.items():
        silent = Volumes(**{group: 0})
        for name in names:
            assert volume_of(name, silent) == 0
            assert volume_of(name, Volumes(overall=50)) == volume_of(name, full) / 2
        others = [name for other, theirs in groups.items() if other != group for name in theirs]
        assert all(volume_of(name, silent) == volume_of(name, full) for name in others)
    assert volume_of("door_alarm", Volumes(game=0, overall=0)) == volume_of("door_alarm", full) > 0


def test_a_world_s_own_sounds_are_played(sound: Sound) -> None:
    """They are read aside; leaving the world brings the shared ones back."""
    sound.world = "sea"
    deadline = pygame.time.get_ticks() + PATIENCE_MS
    while "1 of sea" not in repr(sound):
        assert pygame.time.get_ticks() < deadline, "the world's sounds were not read"
    sound.world = ""
    assert "0 of no world" in repr(sound)


def test_music_fades_in_and_changes_by_a_fade(sound: Sound) -> None:
    """The world's own piece is played; another one comes when it has faded, and the first goes on where it was left."""
    sound.world = "sea"
    sound.loop(frozenset({"background"}))
    now = run(sound, 0.0, 0.05)
    assert pygame.mixer.music.get_busy()
    assert 0 < loudness() < 0.2
    now = run(sound, now, 1.0)
    assert loudness() == 1
    sound.world = ""
    sound.loop(frozenset({"background"}))
    sound.advance(now + 0.1)
    assert 0.5 < loudness() < 1
    now = run(sound, now + 0.1, now + 1.5)
    assert loudness() == 1
    assert sound.due == float("inf")


def test_a_call_for_a_hand_goes_round_until_it_is_taken_away(sound: Sound) -> None:
    """It begins again whenever it has rung out, muted too, and is heard to its end once nobody wants it any more."""
    sound.muted = True
    sound.loop(frozenset({"door_alarm", "reel_spin"}))
    for now in range(3):
        sound.advance(float(now))
        assert pygame.mixer.get_busy()
        assert now < sound.due < now + 1
        pygame.mixer.stop()  # it has rung out
    sound.advance(3.0)
    sound.loop(frozenset())
    assert pygame.mixer.get_busy()
    pygame.mixer.stop()
    sound.advance(4.0)
    assert not pygame.mixer.get_busy()
    assert sound.due == float("inf")


def test_music_makes_room_for_a_stinger(sound: Sound) -> None:
    """10 dB less within a tenth of a second, and as loud as before when it rings out; a button does nothing."""
    sound.loop(frozenset({"background"}))
    now = run(sound, 0.0, 1.0)
    sound.play("button")
    now = run(sound, now, now + 0.2)
    assert loudness() == 1
    sound.play("big_win")
    assert sound.due <= now + 1 / 60
    now = run(sound, now, now + 0.1)
    assert abs(loudness() - DUCKED) < 0.02
    now = run(sound, now, now + 0.5)
    assert abs(loudness() - DUCKED) < 0.02
    now = run(sound, now, now + 1.0)
    assert loudness() == 1


def test_the_music_of_a_large_win_begins_where_it_would_be(sound: Sound) -> None:
    """It makes its way within two frames, at full loudness, for digits roll to its beat."""
    sound.loop(frozenset({"background"}))
    now = run(sound, 0.0, 1.0)
    sound.loop(frozenset({"background", "win_music"}))
    run(sound, now, now + 0.05)
    assert loudness() == 1
    assert pygame.mixer.music.get_busy()


def test_one_stinger_at_a_time(sound: Sound) -> None:
    """The next one fades out the one before: they never add up."""
    sound.play("line_win_small")
    sound.play("big_win")
    first, second = pygame.mixer.Channel(1), pygame.mixer.Channel(0)
    assert second.get_busy()
    deadline = pygame.time.get_ticks() + PATIENCE_MS
    while first.get_busy():
        assert pygame.time.get_ticks() < deadline
    assert second.get_busy()


def test_without_its_own_music_a_feature_is_heard_over_the_background(sound: Sound) -> None:
    """A loop that no world has is not silence."""
    sound.loop(frozenset({"feature_music"}))
    sound.advance(0.1)
    assert pygame.mixer.music.get_busy()


def test_muted_nothing_sounds(sound: Sound) -> None:
    """Neither music, a loop nor a single sound; what went round has faded out."""
    sound.loop(frozenset({"background"}))
    now = run(sound, 0.0, 1.0)
    sound.muted = True
    sound.loop(frozenset({"background", "reel_spin"}))
    sound.play("button")
    run(sound, now, now + 0.5)
    assert not pygame.mixer.get_busy()
    assert not pygame.mixer.music.get_busy()


def test_the_player_s_volume_is_the_music_s(sound: Sound) -> None:
    """Half as loud as soon as it is chosen."""
    sound.loop(frozenset({"background"}))
    now = run(sound, 0.0, 1.0)
    sound.volumes = Volumes(background=50)
    sound.advance(now)
    assert abs(loudness() - 0.5) < 0.01


@pytest.mark.requirement("D2")
def test_an_alarm_is_heard_though_the_game_is_muted(sound: Sound) -> None:
    """The player's choice does not keep an open door silent."""
    sound.muted = True
    sound.play("door_alarm")
    assert pygame.mixer.get_busy()


@pytest.mark.requirement("D2")
def test_the_alarm_sounds_long_enough() -> None:
    """An open door is heard for a second and a half at least."""
    loud = np.flatnonzero(np.abs(SOUNDS["door_alarm"]()) > 0.1)
    assert (loud[-1] - loud[0]) / RATE >= 1.5


def test_before_it_is_loaded_playing_does_nothing(tmp_path: Path) -> None:
    """The first picture does not wait for sounds."""
    player = Sound(tmp_path)
    player.world, player.volumes = "sea", Volumes(wins=10)
    player.play("button")
    player.loop(frozenset({"background"}))
    assert player.world == ""


def test_files_that_are_no_sounds_leave_the_others_audible(
    tmp_path: Path, sound: Sound, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each is named with the mend, and the shared sound takes the place of a world's own; an alarm is heard anyhow."""
    for name in ("button", "sea/button"):
        (tmp_path / f"{name}.flac").write_bytes(b"garbage" * 100)
    (tmp_path / "._button.flac").write_bytes(b"what a Mac adds to each file")
    write(tmp_path / "sea" / "reel_spin.flac")
    player = Sound(tmp_path)
    player.load()
    player.world = "sea"
    for thread in threading.enumerate():
        if thread.name == "sounds sea":
            thread.join()
    assert repr(player) == "<Sound 4 sounds, 1 of sea>"
    said = capsys.readouterr().err
    for name in ("button", "sea/button"):
        assert f"{tmp_path / name}.flac cannot be played" in said
    assert "`cabinet bake`" in said
    assert "._button" not in said
    player.play("door_alarm")
    assert pygame.mixer.get_busy()
    assert sound.is_open


def test_whether_there_is_a_sound_device_is_known_once_it_was_tried(tmp_path: Path, sound: Sound) -> None:
    """Before it is unknown; after it the check-out is reported (T.18)."""
    assert Sound(tmp_path).is_open is None
    assert sound.is_open is True


ROUNDS = """
import os, sys
import pygame
from ui.sound import Sound
from pathlib import Path
folder, raw = Path(sys.argv[1]), Path(sys.argv[2])
player = Sound(folder)
player.load()
player.loop(frozenset({"background"}))
now = 0.0
while not raw.exists() or raw.stat().st_size < 4 * 44_100 * 10:
    now += 1 / 60
    player.advance(now)
pygame.mixer.quit()
"""


def test_music_goes_round_without_a_gap(tmp_path: Path) -> None:
    """What the mixer sends to the device goes on from the last sample with the first, twice: no silence, no click."""
    raw, piece = tmp_path / "heard.raw", tmp_path / "background.ogg"
    write_music(piece, 2 * np.pi * 441 / RATE)  # whole periods: it has no seam
    environment = {"SDL_AUDIODRIVER": "disk", "SDL_DISKAUDIOFILE": str(raw), "SDL_DISKAUDIODELAY": "1"}
    command = [sys.executable, "-c", ROUNDS, str(tmp_path), str(raw)]
    subprocess.run(command, env={**os.environ, **environment}, check=True, capture_output=True, timeout=PATIENCE_S)
    heard = np.fromfile(raw, "<i2").reshape(-1, 2)[:, 0].astype(int)
    heard = heard[4 * RATE : 9 * RATE]  # faded in, and two ends of two seconds within it
    assert np.abs(heard).max() > 0.19 * 32767
    steepest = 0.2 * 32767 * 2 * np.pi * 441 / RATE
    assert np.abs(np.diff(heard)).max() < steepest + 0.01 * 32767  # what Vorbis leaves at the ends of a file
    loud = np.abs(heard[: len(heard) // 100 * 100]).reshape(-1, 100).max(axis=1)
    assert loud.min() > 0.18 * 32767
