"""The first picture of a display speaks the language of the newest view, or else the configured one."""

from pathlib import Path

import pygame
import pytest

from drivers.simulated.bench.frame_mirror import FrameMirror
from tests.ui.display_process import DisplayProcess
from tests.ui.rehearsal import Rehearsal, neptune_view
from ui.director import STARTING, Director
from ui.kept_language import KeptLanguage
from ui.layout import WIDE
from ui.protocol.messages import Hello, Snapshot
from ui.theme import load

HEADLINE = 150
"""Below this height in the dialog's units nothing of the first picture moves: its icon is above."""


def test_without_a_view_the_configured_language_is_spoken(tmp_path: Path) -> None:
    """Also without a file, and with one that holds no language."""
    assert KeptLanguage(None, "de").language == "de"
    file = tmp_path / "language"
    assert KeptLanguage(file, "de").language == "de"
    for nonsense in (b"", b"../../de", b"deutsch" * 1000, b"\xff\xfe", b"DE"):
        file.write_bytes(nonsense)
        assert KeptLanguage(file, "de").language == "de"


def test_the_language_of_a_view_is_kept_over_a_start(tmp_path: Path) -> None:
    """One that was chosen in the service menu stands in no configuration."""
    file = tmp_path / "language"
    KeptLanguage(file, "en").keep("de")
    assert KeptLanguage(file, "en").language == "de"


def test_a_folder_that_cannot_be_written_is_said_and_stops_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The display goes on in the language of the view."""
    kept = KeptLanguage(tmp_path / "missing" / "language", "en")
    kept.keep("de")
    assert kept.language == "de"
    assert "cannot be kept" in capsys.readouterr().err


def test_the_first_picture_says_in_german_that_the_machine_starts() -> None:
    """A director that has heard nothing yet shows STARTING in the language given."""
    assert Director(load).view == STARTING
    assert Director(load, language="de").view.locale.language == "de"


@pytest.mark.processes
def test_a_german_display_starts_in_german(tmp_path: Path) -> None:
    """Configured so; then kept of a view, though the configuration says English, until the supervisor is there."""
    process = DisplayProcess(tmp_path)
    german, english = (still_part(Rehearsal(language=language)) for language in ("de", "en"))
    try:
        process.start("--language", "de", STATE_DIRECTORY=str(tmp_path))
        assert first_picture(process) == german
        process.accept()
        process.say(Hello(), Snapshot(1, neptune_view(language="en")))
        process.until((tmp_path / "language").exists)
        process.kill()
        (tmp_path / "glass").unlink()
        process.start("--language", "de", "--language-file", str(tmp_path / "language"))
        assert first_picture(process) == english != german
    finally:
        process.end()


def still_part(rehearsal: Rehearsal) -> bytes:
    """Return the pixels of the starting screen from its headline down."""
    rehearsal.view(STARTING)
    return _below(rehearsal.picture())


def first_picture(process: DisplayProcess) -> bytes:
    """Return the same of a display's first frame."""
    with FrameMirror(process.run / "glass") as glass:
        process.until(lambda: glass.frame() is not None)
        frame = glass.frame()
        assert frame is not None
    return _below(pygame.image.frombuffer(frame.pixels, (frame.width, frame.height), "BGRA"))


def _below(picture: pygame.Surface) -> bytes:
    left, top, width, height = WIDE.dialog
    part = pygame.Rect(left, top + HEADLINE, width, height - HEADLINE)
    return pygame.image.tobytes(picture.subsurface(part), "RGB")
