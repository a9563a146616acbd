"""The bake: SVG art to atlases, synthesised sounds and font files, under `build/baked`.

Run once at build or installation (`python -m ui.bake`), never at boot; docs/art.md lists what comes out.
A world at a scale is baked again only when one of its sources, a font or the baker itself has changed.
"""

import hashlib
import json
import shutil
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from time import perf_counter

import click
import resvg_py

import games
from ui.baking import digits, fonts, motion, sounds
from ui.baking.atlas import Place, pack
from ui.baking.pictures import Picture
from ui.baking.sources import SHARED, Source, rasterise, read_folder

LARGE_UNITS = 1000
_BAKER = Path(sounds.__file__).resolve().parent
_SOUND_CODE = ("sounds.py", "synthesis.py")
STATES = {
    "": ".lit,.dead{display:none}",
    "_lit": ".normal,.dead{display:none}",
    "_dead": ".normal,.lit{display:none}",
}


def worlds() -> dict[str, Path]:
    """Return the art folders by world: `ui`, and every game that has one."""
    found = {"ui": SHARED}
    for root in games.__path__:
        for folder in sorted(Path(root).glob("*/art")):
            found[folder.parent.name] = folder
    return found


def baker_version() -> str:
    """Return the hash of what the pictures depend on besides their sources: baker, rasteriser and fonts."""
    digest = hashlib.sha256(resvg_py.__version__.encode())
    code = [path for path in sorted(_BAKER.glob("*.py")) if path.name not in _SOUND_CODE]
    for path in (Path(__file__), *code, *map(Path, fonts.paths())):
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _drawn(source: Source, glow: Source | None, scale: float) -> dict[str, dict[str, Picture]]:
    """Return the pictures that come of one source, by group and sprite name."""
    if source.kind == "states":
        return {"sprites": {source.name + tail: rasterise(source, scale, style=css) for tail, css in STATES.items()}}
    if source.kind == "coin":
        turn = motion.coin_frames(source, scale)
        return {"sprites": {f"{source.name}_{number}": frame for number, frame in enumerate(turn)}}
    picture = rasterise(source, scale)
    if source.kind == "symbol":
        light = rasterise(glow, scale) if glow else None
        frames = motion.win_frames(picture, light, scale)
        return {
            "sprites": {source.name: picture, f"{source.name}_blur": motion.blurred(picture, scale)},
            "win": {f"{source.name}_win_{number:02}": frame for number, frame in enumerate(frames)},
        }
    large = max(source.width, source.height) >= LARGE_UNITS
    return {source.name if large else "sprites": {source.name: picture}}


def bake_world(
    sources: Iterable[Source], folder: Path, scale: float
) -> tuple[dict[str, Place], dict[str, digits.Digits]]:
    """Draw `sources` at `scale` and pack them into `folder`; return the sprites' places and the digit sets."""
    by_name = {source.name: source for source in sources}
    groups: dict[str, dict[str, Picture]] = {}
    sets: dict[str, digits.Digits] = {}
    for name, source in by_name.items():
        owner = by_name.get(name.removesuffix("_glow"))
        if owner is not None and owner.name != name and owner.kind == "symbol":
            continue  # drawn into its symbol's win frames
        if source.kind == "digits":
            glyphs, sets[name] = digits.cut(source, scale)
            groups.setdefault("sprites", {}).update(glyphs)
            continue
        for group, pictures in _drawn(source, by_name.get(f"{name}_glow"), scale).items():
            groups.setdefault(group, {}).update(pictures)
    folder.mkdir(parents=True, exist_ok=True)
    places: dict[str, Place] = {}
    for group, pictures in groups.items():
        places.update(pack(pictures, group, folder))
    return places, sets


def _is_fresh(manifest: Path, baker: str, hashes: dict[str, str]) -> bool:
    if not manifest.exists():
        return False
    try:
        known = json.loads(manifest.read_text("utf-8"))
        files = {sprite["atlas"] for sprite in known["sprites"].values()}
        return bool(
            known["baker"] == baker
            and known["sources"] == hashes
            and all((manifest.parent / file).exists() for file in files)
        )
    except (ValueError, KeyError, TypeError):
        return False  # cut short or of another shape: baking again is the mend


def bake_art(world: str, art: Path, out: Path, scales: Iterable[float]) -> list[str]:
    """Bake the world's `art` at each of `scales`; return a line for each that says what was done."""
    sources = read_folder(art)
    baker = baker_version()
    hashes = {source.path.name: hashlib.sha256(source.svg.encode()).hexdigest() for source in sources}
    said = []
    for scale in scales:
        folder = out / world / f"{scale:g}"
        manifest = folder / "manifest.json"
        if _is_fresh(manifest, baker, hashes):
            said.append(f"{world} at {scale:g}: unchanged")
            continue
        start = perf_counter()
        # Drawn aside and swapped in whole: a display that starts meanwhile finds the old bake, never half of one.
        fresh = folder.with_name(f"{folder.name}.new")
        shutil.rmtree(fresh, ignore_errors=True)
        places, sets = bake_world(sources, fresh, scale)
        entry = {
            "world": world,
            "scale": scale,
            "baker": baker,
            "sources": hashes,
            "sprites": {name: asdict(place) for name, place in sorted(places.items())},
            "digits": sets,
        }
        (fresh / manifest.name).write_text(json.dumps(entry, indent=1, ensure_ascii=False), "utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        fresh.rename(folder)
        atlases = len({place.atlas for place in places.values()})
        said.append(f"{world} at {scale:g}: {len(places)} sprites in {atlases} files, {perf_counter() - start:.1f} s")
    return said


def bake_sounds(out: Path) -> str:
    """Synthesise the sounds into `out`/sounds unless they are there already; return what was done."""
    folder = out / "sounds"
    stamp = folder / "manifest.json"
    code = b"".join((_BAKER / name).read_bytes() for name in _SOUND_CODE)
    version = hashlib.sha256(code).hexdigest()
    names = sorted(sounds.SOUNDS)
    entry = json.dumps({"baker": version, "sounds": names}, indent=1)
    complete = all((folder / f"{name}.wav").exists() for name in names)
    if complete and stamp.exists() and stamp.read_text("utf-8") == entry:
        return "sounds: unchanged"
    start = perf_counter()
    folder.mkdir(parents=True, exist_ok=True)
    stamp.unlink(missing_ok=True)
    size = sum(sounds.write(name, folder / f"{name}.wav") for name in names)
    stamp.write_text(entry, "utf-8")
    return f"sounds: {len(names)} files, {size / 1e6:.1f} MB, {perf_counter() - start:.1f} s"


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default=Path("build/baked"), show_default=True)
@click.option("--scale", "scales", type=float, multiple=True, default=(1.0, 1.5), show_default=True)
@click.option("--world", "chosen", multiple=True, type=click.Choice(sorted(worlds())), help="Only these; else all.")
def main(out: Path, scales: tuple[float, ...], chosen: tuple[str, ...]) -> None:
    """Draw the art, synthesise the sounds and copy the fonts into OUT."""
    start = perf_counter()
    changed = fonts.copy_to(out / "fonts")
    click.echo(f"fonts: {len(changed)} copied" if changed else "fonts: unchanged")
    click.echo(bake_sounds(out))
    for world, art in worlds().items():
        for line in bake_art(world, art, out, scales) if world in (chosen or worlds()) else ():
            click.echo(line)
    click.echo(f"baked into {out} in {perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
