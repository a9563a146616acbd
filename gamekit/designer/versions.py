"""Another version of a game: from the JSON that `cabinet par` wrote of it, or from its folder, as git exports it."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import msgspec

from gamekit import catalogue
from gamekit.designer.figures import DesignSheet
from gamekit.maths import load_maths
from gamekit.par import ParSheet, par_sheet, with_constants


class Version(NamedTuple):
    """What is known of a version: its PAR sheet, and its designer's figures where they are."""

    name: str
    par: ParSheet
    design: DesignSheet | None


class VersionError(ValueError):
    """There is no other version at that path, or it cannot be computed; the message says why and what to do."""


class Wanted(NamedTuple):
    """How to compute the designer's figures of a folder (`gamekit.designer.working_out.design_sheet`)."""

    seed: int
    limit_s: float


def read(place: Path, game: str, wanted: Wanted | None) -> Version:
    """Return the version of the game called `game` in `place`; a folder's designer's figures only where `wanted`.

    Raises `VersionError`.
    """
    version = _of_file(place) if place.is_file() else _of_folder(place, game, wanted)
    if version.par.game != game:
        raise VersionError(f"{place} is of {version.par.game}: name a version of {game}")
    return version


def _of_file(file: Path) -> Version:
    data = file.read_bytes()
    try:
        design = msgspec.json.decode(data, type=DesignSheet)
    except msgspec.DecodeError:
        try:
            par = msgspec.json.decode(data, type=ParSheet)
        except msgspec.DecodeError as error:
            raise VersionError(
                f"{file} is no PAR sheet ({error}): write one with `cabinet par GAME --format json`"
            ) from error
        return Version(file.name, par, None)
    return Version(file.name, design.par, design)


def _of_folder(place: Path, game: str, wanted: Wanted | None) -> Version:
    candidates = (place, place / game, place / "games" / game)
    folder = next((one for one in candidates if (one / catalogue.DEFINITION).is_file()), None)
    if folder is None:
        raise VersionError(
            f"{place} holds no version of {game}: name its folder (with game.toml in it), one above it, or a JSON file"
        )
    # In a separate process the game's modules come from the folder; in this one they stay this program's.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        try:
            encoded = pool.submit(_worked_out, game, str(folder), wanted).result()
        except Exception as error:  # whatever another version's code raises
            raise VersionError(f"{folder} does not work with this program: {type(error).__name__}: {error}") from error
    if wanted is None:
        return Version(str(place), msgspec.json.decode(encoded, type=ParSheet), None)
    design = msgspec.json.decode(encoded, type=DesignSheet)
    return Version(str(place), design.par, design)


def _worked_out(game: str, folder: str, wanted: Wanted | None) -> bytes:
    with catalogue.in_place_of(game, Path(folder)):
        maths = load_maths(game)
        sheet = with_constants(par_sheet(maths))
        if wanted is None:
            return msgspec.json.encode(sheet)
        from gamekit.designer.working_out import design_sheet  # noqa: PLC0415 - numpy, where it is wanted

        return msgspec.json.encode(design_sheet(maths, sheet, seed=wanted.seed, limit_s=wanted.limit_s))
