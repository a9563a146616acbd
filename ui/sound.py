"""The cabinet's sounds: baked WAV files, loaded in a thread after the first picture, silent where no device is."""

import sys
import threading
from pathlib import Path

import pygame

LOOPS = frozenset({"reel_spin", "roll_up", "background", "free_spins_music"})
_VOLUMES = {"background": 0.25, "free_spins_music": 0.4, "roll_up": 0.5, "reel_spin": 0.5}


class Sound:
    """Plays sounds by name; until `load` has ended, and without a device, playing does nothing."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sounds: dict[str, pygame.mixer.Sound] = {}
        self._looping: set[str] = set()
        self._ready = threading.Event()
        self.muted = False

    def __repr__(self) -> str:
        return f"<Sound {len(self._sounds)} sounds>"

    def load(self) -> None:
        """Open the device and read the sounds; without a device say so once and stay silent."""
        try:
            pygame.mixer.init(44_100, -16, 2, 512)
        except pygame.error as error:
            sys.stderr.write(f"display: no sound ({error})\n")
            return
        pygame.mixer.set_num_channels(16)
        for path in sorted(self._folder.glob("*.wav")):
            sound = pygame.mixer.Sound(str(path))
            sound.set_volume(_VOLUMES.get(path.stem, 0.8))
            self._sounds[path.stem] = sound
        self._ready.set()

    def play(self, name: str) -> None:
        """Play a sound once."""
        if self._ready.is_set() and not self.muted and name in self._sounds:
            self._sounds[name].play()

    def loop(self, names: frozenset[str]) -> None:
        """Let exactly the sounds `names` go round and round."""
        wanted = frozenset() if self.muted else names
        if not self._ready.is_set() or wanted == self._looping:
            return
        for name in self._looping - wanted:
            self._sounds[name].fadeout(150)
        for name in wanted - self._looping:
            if name in self._sounds:
                self._sounds[name].play(loops=-1)
        self._looping = {name for name in wanted if name in self._sounds}
