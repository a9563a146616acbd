"""The bake: converts SVG art to atlases, synthesises sounds, and writes catalogues and fonts below `build/baked`.

Run once at build or installation (`python -m ui.bake`), never at boot; docs/art.md lists the output. A world at a scale
is baked again only if one of its sources, a font or the baker itself has changed.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from time import perf_counter

import click
import resvg_py

from gamekit import catalogue
from ui import baked_sounds
from ui.bake_order import Piece, alone, work
from ui.baking import catalogues, digits, fonts, motion, parts, poses, scenery, tile
from ui.baking.atlas import Place, pack
from ui.baking.pictures import Picture
from ui.baking.sources import SHARED, STATES, ArtError, Source, rasterise, read_folder
from ui.own_files import NotOursError, refuse_foreign, remove_folder

LARGE_UNITS = 500
"""A picture at least this wide or high gets a file of its own, which is decoded only if it is shown."""
REELS_LARGER = 1.3
"""How much larger the pictures on the reels are drawn a second time, as `<name>_reels`, for portrait."""
_ON_REELS = ("frame", "reel", "reel_free", "win_cell")
"""The pictures on every game's reels besides its symbols; other sources say so by `data-reels="yes"`."""
_PORTRAIT_WIDTH = 1080
LARGER = 1.5
"""How much larger a source with `data-large="yes"` is drawn a second time, as `<name>_large`, for portrait."""
_BAKER = Path(motion.__file__).resolve().parent
Groups = dict[str, dict[str, Picture]]
"""Pictures by sprite name, by the group of files into which they are packed."""
FIRST_WHOLE = "first game whole"
"""Printed when the first game and the shared files are baked; the demo waits for it."""


def worlds() -> dict[str, Path]:
    """Return the art folders by world: `ui`, and every game that has one."""
    found = {"ui": SHARED}
    for name in catalogue.found():
        folder = catalogue.folder_of(name) / "display" / "art"
        if folder.is_dir():
            found[name] = folder
    return found


def baker_version() -> str:
    """Return the hash of everything besides the sources that determines the pictures: baker, rasteriser and fonts."""
    digest = hashlib.sha256(resvg_py.__version__.encode())
    for path in (Path(__file__), *sorted(_BAKER.glob("*.py")), *map(Path, fonts.paths())):
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


_SERIES: dict[str, Callable[[Source, float], dict[str, Picture]]] = {
    "states": lambda source, scale: {tail: rasterise(source, scale, style=css) for tail, css in STATES.items()},
    "coin": lambda source, scale: {f"_{number}": each for number, each in enumerate(motion.coin_frames(source, scale))},
    "loop": lambda source, scale: {f"_{number:02}": each for number, each in enumerate(poses.loop(source, scale))},
}
"""Functions that make several pictures of one source, by its kind: each name's suffix, and the picture."""


def _drawn(source: Source, glow: Source | None, scale: float) -> Groups:
    """Return the pictures made from one source, by group and sprite name."""
    if source.kind in _SERIES:
        return {"sprites": {source.name + tail: frame for tail, frame in _SERIES[source.kind](source, scale).items()}}
    if source.kind == "digits":
        return {"sprites": digits.cut(source, scale)[0]}
    if source.kind == "scenery":
        return {name: {name: picture} for name, picture in scenery.cut(source, scale).items()}
    if source.kind == "symbol":
        return _symbol(source, rasterise(glow, scale) if glow else None, scale)
    large = max(source.width, source.height) >= LARGE_UNITS
    return {source.name if large else "sprites": {source.name: rasterise(source, scale)}}


def _symbol(source: Source, light: Picture | None, scale: float) -> Groups:
    """Return a symbol at rest and blurred, its win, and its landing and waiting if its source declares them."""
    rest = rasterise(source, scale)
    if parts.motions(source):
        frames = poses.frames(source, light, scale)
    else:
        frames = {"win": motion.win_frames(rest, light, scale)}
    groups: Groups = {"sprites": {source.name: rest, f"{source.name}_blur": motion.blurred(rest, scale)}}
    for kind, pictures in frames.items():
        group = groups.setdefault("win" if kind == "win" else "win_calls", {})
        group.update({f"{source.name}_{kind}_{number:02}": picture for number, picture in enumerate(pictures)})
    return groups


def _enlarged(source: Source, scale: float) -> Groups:
    """Return the larger pictures made from one source that requests them, by group and sprite name."""
    if scale != 1 or "data-large" not in source.attributes:
        return {}
    times = _times_larger(source)
    drawn = {name: picture for group in _drawn(source, None, times).values() for name, picture in group.items()}
    group = f"{source.name}_large" if times * max(source.width, source.height) >= LARGE_UNITS else "large"
    return {group: {f"{name}_large": picture for name, picture in drawn.items()}}


def _for_reels(source: Source, glow: Source | None, scale: float) -> Groups:
    """Return the pictures of what lies on portrait's reels, at most as wide as its monitor."""
    if scale != 1 or not (source.kind == "symbol" or source.name in _ON_REELS or "data-reels" in source.attributes):
        return {}
    drawn: Groups = {}
    for group, pictures in _drawn(source, glow, REELS_LARGER).items():
        for name, picture in pictures.items():
            beyond = max(0, picture.shape[1] - _PORTRAIT_WIDTH) // 2
            cut = picture[:, beyond : picture.shape[1] - beyond]
            drawn.setdefault(f"{group}_reels", {})[f"{name}_reels"] = cut
    return drawn


def _times_larger(source: Source) -> float:
    """Return how much larger a source requests to be drawn a second time; raises `ArtError` if it is not a factor."""
    wanted = source.attributes["data-large"]
    try:
        return LARGER if wanted == "yes" else float(wanted)
    except ValueError:
        raise ArtError(f"{source.path}: data-large is `yes` or a factor such as 1.3, not {wanted!r}") from None


def _digit_sets(sources: Iterable[Source], scale: float) -> dict[str, digits.Digits]:
    """Return the metrics of each set of digits, including the enlarged sets."""
    sets: dict[str, digits.Digits] = {}
    for source in sources:
        if source.kind == "digits":
            sets[source.name] = digits.cut(source, scale)[1]
            if _enlarged(source, scale):
                sets[f"{source.name}_large"] = digits.cut(source, _times_larger(source))[1]
    return sets


def _tiles(sources: Iterable[Source], groups: Groups, scale: float) -> Groups:
    """Return the lobby's pictures of a world that has a background and a logo, in normal and larger size."""
    drawn = {name: picture for pictures in groups.values() for name, picture in pictures.items()}
    if "background" not in drawn or "logo" not in drawn:
        return {}
    star = next((source for source in sources if "data-star" in source.attributes), None)
    tiles: Groups = {}
    for tail, size in (("", scale), ("_large", LARGER))[: 2 if scale == 1 else 1]:
        ground = tile.Ground(drawn["background"], drawn["logo"], size)
        tiles[f"tile{tail}"] = {f"tile{tail}": ground.compose(None if star is None else rasterise(star, size))}
        moving = {} if star is None else parts.motions(star)
        if star is not None and moving:
            frames = poses.loop(star, size, "wait" if "wait" in moving else "win")
            group = {f"tile_{number:02}{tail}": ground.alive(frame) for number, frame in enumerate(frames)}
            tiles[f"tile_life{tail}"] = group
    return tiles


def bake_world(
    sources: Iterable[Source], folder: Path, scale: float, own: Iterable[tuple[str, Source]] = ()
) -> tuple[dict[str, Place], dict[str, digits.Digits]]:
    """Draw `sources` at `scale` and pack them into `folder`; return the sprites' places and the digit sets.

    `own` are sources with the words of one language. Their sprites are called `<sprite>.<language>` and are packed into
    their own files, so that a display in another language decodes none of them.
    """
    by_name = {source.name: source for source in sources}
    groups: Groups = {}
    for name, source in by_name.items():
        owner = by_name.get(name.removesuffix("_glow"))
        if owner is not None and owner.name != name and owner.kind == "symbol":
            continue  # drawn into its symbol's win frames
        for group, pictures in _all_sizes(source, by_name.get(f"{name}_glow"), scale):
            groups.setdefault(group, {}).update(pictures)
    groups |= _tiles(by_name.values(), groups, scale)
    for language, source in own:
        for group, pictures in _all_sizes(source, by_name.get(f"{source.name}_glow"), scale):
            named = {f"{name}.{language}": picture for name, picture in pictures.items()}
            groups.setdefault(f"{group}_{language}", {}).update(named)
        if "data-star" in source.attributes:
            for group, pictures in _tiles([source], groups, scale).items():
                groups[f"{group}_{language}"] = {f"{name}.{language}": each for name, each in pictures.items()}
    folder.mkdir(parents=True, exist_ok=True)
    places: dict[str, Place] = {}
    for group, pictures in groups.items():
        places.update(pack(pictures, group, folder))
    return places, _digit_sets(by_name.values(), scale)


def _all_sizes(source: Source, glow: Source | None, scale: float) -> list[tuple[str, dict[str, Picture]]]:
    """Return the pictures of one source by group, including the larger ones."""
    sizes = (_drawn(source, glow, scale), _enlarged(source, scale), _for_reels(source, glow, scale))
    return [item for groups in sizes for item in groups.items()]


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
        return False  # truncated or of another shape: it is baked again


def _sources(art: Path) -> tuple[list[Source], list[tuple[str, Source]], dict[str, str]]:
    """Return a world's sources, the sources with words by language, and the hash of each source by name."""
    sources = read_folder(art)
    own = [
        (language, translated)
        for language, catalogue in catalogues.read_catalogues().items()
        for source in sources
        if (translated := catalogues.in_language(source, catalogue)) is not None
    ]
    hashes = {source.path.name: hashlib.sha256(source.svg.encode()).hexdigest() for source in sources}
    hashes |= {f"{each.name}.{language}": hashlib.sha256(each.svg.encode()).hexdigest() for language, each in own}
    return sources, own, hashes


def bake_art(world: str, art: Path, out: Path, scales: Iterable[float]) -> list[str]:
    """Bake the world's `art` at each of `scales`; return a line of report for each."""
    sources, own, hashes = _sources(art)
    baker = baker_version()
    said = []
    for scale in scales:
        folder = out / world / f"{scale:g}"
        manifest = folder / "manifest.json"
        if _is_fresh(manifest, baker, hashes):
            said.append(f"{world} at {scale:g}: unchanged")
            continue
        start = perf_counter()
        # Drawn in another folder and swapped in as a whole: a display that starts in between finds one complete bake
        # or, for an instant, none.
        fresh = folder.with_name(f"{folder.name}.new")
        remove_folder(fresh)
        places, sets = bake_world(sources, fresh, scale, own)
        entry = {
            "world": world,
            "scale": scale,
            "baker": baker,
            "sources": hashes,
            "sprites": {name: asdict(place) for name, place in sorted(places.items())},
            "digits": sets,
        }
        (fresh / manifest.name).write_text(json.dumps(entry, indent=1, ensure_ascii=False), "utf-8")
        remove_folder(folder)
        fresh.rename(folder)
        atlases = len({place.atlas for place in places.values()})
        said.append(f"{world} at {scale:g}: {len(places)} sprites in {atlases} files, {perf_counter() - start:.1f} s")
    return said


def _bake_sounds(world: str, out: Path) -> list[str]:
    return [baked_sounds.bake(world, out)]


def _withdraw(out: Path, scales: Iterable[float]) -> None:
    """Remove the manifest of each world whose art or sounds have changed, since it is incomplete until it is baked."""
    for world, art in worlds().items():
        manifests = [out / world / f"{scale:g}" / "manifest.json" for scale in scales]
        if any(manifest.exists() for manifest in manifests):
            hashes, baker = _sources(art)[2], baker_version()
            for manifest in manifests:
                if not _is_fresh(manifest, baker, hashes):
                    refuse_foreign(manifest)
                    manifest.unlink(missing_ok=True)
    for world in ("", *baked_sounds.worlds()):
        if not baked_sounds.is_whole(world, out):
            sounds = baked_sounds.folder_of(world, out) / baked_sounds.MANIFEST
            refuse_foreign(sounds)
            sounds.unlink(missing_ok=True)


def _pieces(out: Path, scales: Iterable[float], chosen: Iterable[str], first: str) -> list[Piece]:
    """Return the pieces of work, the largest first, so that the last one does not delay the end."""
    art = [
        Piece(partial(bake_art, world, folder, out, (scale,)), first=bool(first) and world in ("ui", first))
        for scale in sorted(scales, reverse=True)
        for world, folder in worlds().items()
        if world in chosen
    ]
    tunes = [
        Piece(partial(_bake_sounds, world, out), first=bool(first) and world in ("", first))
        for world in ("", *baked_sounds.worlds())
        if not world or world in chosen
    ]
    return art + tunes


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default=Path("build/baked"), show_default=True)
@click.option("--scale", "scales", type=float, multiple=True, default=(1.0, 1.5), show_default=True)
@click.option("--world", "chosen", multiple=True, help="Only these; else all.")
@click.option(
    "--first",
    default="",
    help="This game before the others; those that have changed are not whole until they are baked too.",
)
def main(out: Path, scales: tuple[float, ...], chosen: tuple[str, ...], first: str) -> None:
    """Draw the art, synthesise the sounds, compile the catalogues and copy the fonts into OUT.

    Only what has changed is made. Each world is swapped in when it is whole; an end before that leaves the old one.
    """
    for world in (*chosen, *filter(None, [first])):
        if world not in worlds():
            raise click.BadParameter(f"{world!r} is no world; the worlds are: {', '.join(worlds())}")
    start = perf_counter()
    try:
        with alone(out, click.echo):
            _bake(out, scales, chosen, first)
    except NotOursError as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        place = error.filename or out
        raise click.ClickException(f"{place}: {error.strerror}; name a folder with room by --out") from error
    click.echo(f"baked into {out} in {perf_counter() - start:.1f} s")


def _bake(out: Path, scales: tuple[float, ...], chosen: tuple[str, ...], first: str) -> None:
    changed = fonts.copy_to(out / "fonts")
    click.echo(f"fonts: {len(changed)} copied" if changed else "fonts: unchanged")
    languages = catalogues.compile_to(out)
    click.echo(f"languages: {', '.join(languages)}" if languages else "languages: unchanged")
    if first:
        _withdraw(out, scales)
    pieces = _pieces(out, scales, chosen or tuple(worlds()), first)
    work(pieces, click.echo, lambda: click.echo(FIRST_WHOLE) if first else None)


if __name__ == "__main__":
    main()
