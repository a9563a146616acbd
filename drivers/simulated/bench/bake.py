"""Bake the bench's drawings into PNG files at first start and reuse them while their sources are unchanged.

BakeError (RuntimeError) says which drawing cannot be made, and why.
"""

import hashlib
import importlib.util
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Template

from drivers.simulated.bench.sprites import SPRITES, Sprite

ART = Path(__file__).parent / "art"
_FONTS = {"font_manrope": ("Manrope-Bold.ttf", "Manrope-ExtraBold.ttf"), "font_roboto": ("Roboto-Bold.ttf",)}
_MEND = "install the demo's extra: pip install 'cabinet[bake]'"


class BakeError(RuntimeError):
    """A picture of the bench cannot be made."""


def font_files() -> list[Path]:
    """Return the font files that the drawings and the bench's readouts use; raise `BakeError` if one is missing."""
    files = []
    for package, names in _FONTS.items():
        spec = importlib.util.find_spec(package)
        if spec is None or spec.origin is None:
            raise BakeError(f"the font package {package.replace('_', '-')} is not installed; {_MEND}")
        files += [Path(spec.origin).parent / "files" / name for name in names]
    for file in files:
        if not file.is_file():
            raise BakeError(f"{file}: this font file is missing; {_MEND}")
    return files


def svg(sprite: Sprite) -> str:
    """Return the finished drawing of `sprite`; raise `BakeError` for an unknown drawing or an unfilled value."""
    file = ART / f"{sprite.drawing}.svg"
    shared = (ART / "materials.svg").read_text("utf-8")
    materials = shared[shared.index("<defs>") : shared.rindex("</svg>")]
    try:
        return Template(file.read_text("utf-8")).substitute(sprite.values, materials=materials)
    except FileNotFoundError as error:
        raise BakeError(f"{file}: there is no such drawing") from error
    except KeyError as error:
        raise BakeError(f"{file}: ${error.args[0]} is not filled in by sprites.py") from error


def bake(baked: Path, zoom: int, sprites: Mapping[str, Sprite] = SPRITES) -> Path:
    """Bake the missing or stale `sprites` at `zoom` pixels a bench unit; return their folder.

    They go to BAKED/bench/ZOOMx/NAME.png; `manifest.json` beside them holds each one's source hash.
    """
    folder = baked / "bench" / f"{zoom}x"
    folder.mkdir(parents=True, exist_ok=True)
    manifest = folder / "manifest.json"
    sources = {name: svg(sprite) for name, sprite in sprites.items()}
    wanted = {name: _digest(source, zoom) for name, source in sources.items()}
    known = _read_manifest(manifest)
    stale = [name for name in wanted if known.get(name) != wanted[name] or not (folder / f"{name}.png").is_file()]
    if stale:
        for name, png in _rasterise({name: sources[name] for name in stale}, zoom):
            _write(folder / f"{name}.png", png)
        _write(manifest, json.dumps(wanted, indent=1).encode())
    return folder


def _digest(source: str, zoom: int) -> str:
    return hashlib.sha256(f"{zoom}\n{source}".encode()).hexdigest()


def _read_manifest(path: Path) -> dict[str, str]:
    try:
        known = json.loads(path.read_bytes())
    except (FileNotFoundError, json.JSONDecodeError):
        # A first start, or one that was interrupted while writing: everything is baked again.
        return {}
    return known if isinstance(known, dict) else {}


def _rasterise(sources: dict[str, str], zoom: int) -> Iterator[tuple[str, bytes]]:
    try:
        import resvg_py  # noqa: PLC0415 - a build-time dependency; a bench whose pictures are baked starts without it
    except ModuleNotFoundError as error:
        raise BakeError(f"resvg_py, which bakes the bench's pictures, is not installed; {_MEND}") from error
    fonts = [str(file) for file in font_files()]
    for name, source in sources.items():
        try:
            png = resvg_py.svg_to_bytes(svg_string=source, zoom=float(zoom), skip_system_fonts=True, font_files=fonts)
        except ValueError as error:
            raise BakeError(f"{name}: resvg refuses the drawing: {error}") from error
        yield name, bytes(png)


def _write(path: Path, data: bytes) -> None:
    # Two benches may start at once: each writes its own file, and the last rename wins with the same bytes.
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    unfinished.write_bytes(data)
    unfinished.replace(path)
