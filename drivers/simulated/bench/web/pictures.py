"""The display's pictures as JPEG files."""

import io
from typing import Final

from PIL import Image

from drivers.simulated.bench.frame_mirror import Frame

QUALITY: Final = 80
_CHROMA_420 = 2


def jpeg(frame: Frame, quality: int = QUALITY) -> bytes:
    """Return `frame` as a JPEG file."""
    picture = Image.frombuffer("RGB", (frame.width, frame.height), frame.pixels, "raw", "BGRX", 0, 1)
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=quality, subsampling=_CHROMA_420)
    return file.getvalue()
