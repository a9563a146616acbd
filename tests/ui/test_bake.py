"""The bake: sources refused for a reason, atlases that hold what they should, and nothing baked twice."""

import itertools
import json
from pathlib import Path

import numpy as np
import pygame
import pytest
from click.testing import CliRunner

from ui import bake, baked_sounds
from ui.baking import atlas, digits, fonts, motion, poses
from ui.baking.pictures import Picture, decoded, save, to_layer, to_picture
from ui.baking.sources import SHARED, ArtError, Source, rasterise, read, read_folder
from ui.own_files import NotOursError
from ui.picture import TILE_LIFE

NEPTUNE = bake.worlds()["neptune"]
SYMBOLS = ["neptune", "mermaid", "treasure", "jewel_box", "clam", "sea_horse", "ace", "king", "queen", "jack", "ten"]


def svg(body: str, attributes: str = 'width="160" height="150"') -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" {attributes}>{body}</svg>'


DISC = '<circle cx="80" cy="75" r="60" fill="#c03020"/>'


@pytest.fixture
def art(tmp_path: Path) -> Path:
    folder = tmp_path / "art"
    folder.mkdir()
    (folder / "disc.svg").write_text(svg(DISC, 'width="160" height="150" data-kind="symbol"'), "utf-8")
    (folder / "plain.svg").write_text(svg(DISC), "utf-8")
    return folder


def source(folder: Path, text: str) -> Source:
    path = folder / "trial.svg"
    path.write_text(text, "utf-8")
    return read(path)


@pytest.mark.proof
@pytest.mark.parametrize("folder", bake.worlds().values(), ids=bake.worlds())
def test_every_source_of_the_repository_can_be_drawn(folder: Path) -> None:
    """No picture of ours is refused: fonts, glyphs, includes and opaque pixels are all there."""
    drawn = {entry.name: rasterise(entry, 1.0) for entry in read_folder(folder)}
    assert [path.stem for path in sorted(folder.glob("[!_]*.svg"))] == list(drawn)


def test_neptune_has_every_picture_the_display_asks_for() -> None:
    """The names and sizes of Neptune's sprites exist, and its symbols are marked as such."""
    found = {entry.name: entry for entry in read_folder(NEPTUNE)}
    assert sorted(SYMBOLS) == sorted(name for name, entry in found.items() if entry.kind == "symbol")
    sizes = {(found[name].width, found[name].height) for name in SYMBOLS}
    assert sizes == {(160, 150)}
    sceneries = ("background", "background_free", "treasure_background")
    assert {(found[name].width, found[name].height) for name in sceneries} <= {(1280, 720), (1280, 1920)}
    assert (found["frame"].width, found["frame"].height) == (1280, 720)
    assert (found["reel"].width, found["reel"].height) == (160, 450)
    chests = ("chest_closed", "chest_open", "chest_picked", "chest_lit")
    assert {(found[name].width, found[name].height) for name in chests} == {(200, 180)}


def test_the_frame_leaves_the_reel_window_clear() -> None:
    """The frame is empty over 240..1040 x 105..555 and closed around it; the reel behind it is opaque."""
    frame = rasterise(read(NEPTUNE / "frame.svg"), 1)
    assert int(frame[106:554, 241:1039, 3].max()) == 0
    assert int(frame[330, 236, 3]) == int(frame[330, 1044, 3]) == int(frame[100, 640, 3]) == 255
    assert int(rasterise(read(NEPTUNE / "reel.svg"), 1)[..., 3].min()) == 255


ROWS = '<rect width="1280" height="1920"/>' + "".join(
    f'<rect y="{row}" width="1280" height="1" fill="rgb({row // 256},{row % 256},7)"/>' for row in range(1920)
)
SCENERY = 'width="1280" height="1920" data-kind="scenery"'


def test_a_scenery_is_cut_for_every_shape_and_never_stretched(tmp_path: Path) -> None:
    """The wide cut is the middle, the tall one reaches further up and down, portrait has all rows."""
    places, _ = bake.bake_world([source(tmp_path, svg(ROWS, SCENERY))], tmp_path / "baked", 1)
    sizes = {name: (place.w, place.h) for name, place in places.items()}
    assert sizes == {"trial": (1280, 720), "trial_tall": (1280, 1024), "trial_portrait": (1080, 1920)}
    for name, first in (("trial", 600), ("trial_tall", 448), ("trial_portrait", 0)):
        picture = decoded((tmp_path / "baked" / places[name].atlas).read_bytes())
        for row in (0, picture.shape[0] - 1):
            assert picture[row, 0, :3].tolist() == [(first + row) // 256, (first + row) % 256, 7]
    assert list(bake.bake_world([source(tmp_path, svg(ROWS, SCENERY))], tmp_path / "larger", 1.5)[0]) == ["trial"]


def test_a_border_of_one_shape_is_seen_in_that_shape_alone(tmp_path: Path) -> None:
    """What bears a shape's class runs along that monitor's edge and is not cut through on another."""
    borders = "".join(
        f'<rect class="{shape}" width="1280" height="1920" fill="{colour}"/>'
        for shape, colour in (("wide", "#f00"), ("tall", "#0f0"), ("portrait", "#00f"))
    )
    places, _ = bake.bake_world([source(tmp_path, svg(ROWS + borders, SCENERY))], tmp_path / "baked", 1)
    seen = {
        name: decoded((tmp_path / "baked" / place.atlas).read_bytes())[9, 9, :3].tolist()
        for name, place in places.items()
    }
    assert seen == {"trial": [255, 0, 0], "trial_tall": [0, 255, 0], "trial_portrait": [0, 0, 255]}


@pytest.mark.parametrize("included", [False, True])
def test_two_elements_of_one_id_are_refused(tmp_path: Path, *, included: bool) -> None:
    """A part named as a gradient, here or in an include, would lose its fill: the error names the file and the id."""
    gradient = '<linearGradient id="beard"><stop stop-color="#fff"/></linearGradient>'
    (tmp_path / "_shared.svg").write_text(svg(f"<defs>{gradient}</defs>"), "utf-8")
    defined = "<?include shared?>" if included else f"<defs>{gradient}</defs>"
    with pytest.raises(ArtError, match=r"trial\.svg: more than one element has the id 'beard'"):
        source(tmp_path, svg(f'{defined}{DISC}<path id="beard" d="M0 0 L9 0 L9 9Z" fill="url(#beard)"/>'))


@pytest.mark.parametrize(
    ("body", "attributes", "words"),
    [
        (ROWS, 'width="1280" height="720" data-kind="scenery"', "a scenery is 1280x1920"),
        (DISC, SCENERY, "some of it is transparent"),
    ],
)
def test_a_scenery_that_leaves_a_monitor_bare_is_refused(
    tmp_path: Path, body: str, attributes: str, words: str
) -> None:
    """A background of the wrong size, or with a hole, is named before it is seen."""
    with pytest.raises(ArtError, match=words):
        bake.bake_world([source(tmp_path, svg(body, attributes))], tmp_path / "baked", 1)


def test_what_portrait_needs_larger_is_drawn_so(tmp_path: Path) -> None:
    """A source that asks for it comes a second time, half as large again and no blown-up copy; at 1.5 it needs none."""
    button = source(tmp_path, svg(DISC, 'width="160" height="150" data-large="yes"'))
    places, _ = bake.bake_world([button], tmp_path / "baked", 1)
    assert {name: (place.w, place.h) for name, place in places.items()} == {
        "trial": (160, 150),
        "trial_large": (240, 225),
    }
    assert list(bake.bake_world([button], tmp_path / "larger", 1.5)[0]) == ["trial"]
    places, sets = bake.bake_world([read(SHARED / "digits_gold.svg")], tmp_path / "digits", 1)
    small, large = (places[f"digits_gold_0{tail}"] for tail in ("", "_large"))
    assert (large.w, large.h) == (round(small.w * 1.5), round(small.h * 1.5))
    assert sets["digits_gold_large"]["height"] == round(1.5 * int(str(sets["digits_gold"]["height"])))


def test_a_source_says_how_much_larger_portrait_needs_it(tmp_path: Path) -> None:
    """Any factor that is a number; what is none is refused by name."""
    places, _ = bake.bake_world(
        [source(tmp_path, svg(DISC, 'width="160" height="150" data-large="1.2"'))], tmp_path / "baked", 1
    )
    assert (places["trial_large"].w, places["trial_large"].h) == (192, 180)
    with pytest.raises(ArtError, match="data-large is `yes` or a factor"):
        bake.bake_world(
            [source(tmp_path, svg(DISC, 'width="160" height="150" data-large="big"'))], tmp_path / "refused", 1
        )


def test_what_lies_on_the_reels_is_drawn_for_portrait_too(tmp_path: Path) -> None:
    """1.3 times as large: a symbol with all that is made of it, and of a frame as much as a portrait monitor shows."""
    symbol = source(tmp_path, svg(DISC, 'width="160" height="112" data-kind="symbol"'))
    places, _ = bake.bake_world([symbol], tmp_path / "baked", 1)
    sizes = {name: (place.w, place.h) for name, place in places.items() if name.endswith("_reels")}
    assert sizes["trial_reels"] == sizes["trial_blur_reels"] == (208, 146)
    assert sizes["trial_win_00_reels"] == (240, 178)
    frame = source(tmp_path, svg(ROWS, 'width="1280" height="720" data-reels="yes"'))
    places, _ = bake.bake_world([frame], tmp_path / "framed", 1)
    assert (places["trial_reels"].w, places["trial_reels"].h) == (1080, 936)
    assert "trial_reels" not in bake.bake_world([frame], tmp_path / "large", 1.5)[0]


def test_symbols_can_be_distinguished_from_afar() -> None:
    """Seen as 8x7 coarse dots, every two of Neptune's symbols differ by a wide margin."""
    coarse = {}
    for name in SYMBOLS:
        layer = to_layer(rasterise(read(NEPTUNE / f"{name}.svg"), 0.4))[:56, :64]
        coarse[name] = layer.reshape(7, 8, 8, 8, 4).mean(axis=(1, 3))
    nearest = min(
        (float(np.abs(coarse[one] - coarse[other]).mean()), one, other)
        for one, other in itertools.combinations(SYMBOLS, 2)
    )
    assert nearest[0] > 18, nearest


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (svg("<?include nowhere?>" + DISC), "no _nowhere.svg"),
        (svg('<text y="50" font-family="Arial">5</text>'), "no font Arial 400"),
        (svg('<text y="50" font-family="Roboto" font-weight="900">\u6f22</text>'), "no glyph"),
        (svg(DISC, 'width="161" height="150"'), "even whole numbers"),
        (svg(DISC, 'width="160" height="150" data-kind="sprite"'), "data-kind 'sprite'"),
        (svg("<circle"), "not well-formed"),
    ],
)
def test_a_source_that_cannot_be_baked_is_refused_by_name(tmp_path: Path, text: str, said: str) -> None:
    """The error names the file and what is wrong with it, before anything is drawn."""
    with pytest.raises(ArtError, match=said) as refusal:
        source(tmp_path, text)
    assert "trial.svg" in str(refusal.value) or "nowhere" in str(refusal.value)


def test_a_picture_with_nothing_on_it_is_refused(tmp_path: Path) -> None:
    """Resvg leaves out what it cannot draw and says nothing; the bake does."""
    with pytest.raises(ArtError, match="nothing opaque"):
        rasterise(source(tmp_path, svg(DISC.replace("#c03020", "none"))), 1)


def test_an_include_is_looked_for_beside_the_source_first(tmp_path: Path) -> None:
    """A world may have its own version of a shared definition, and an endless chain is refused."""
    (tmp_path / "_gold.svg").write_text(svg("<g id='ours'/>"), "utf-8")
    assert "id='ours'" in source(tmp_path, svg("<?include gold?>" + DISC)).svg
    (tmp_path / "_gold.svg").write_text(svg("<?include gold?>"), "utf-8")
    with pytest.raises(ArtError, match="gold -> gold"):
        source(tmp_path, svg("<?include gold?>"))


def test_a_button_has_three_different_states(tmp_path: Path) -> None:
    """Normal, lit and dead come from one source and no two look the same."""
    buttons = [read(SHARED / "button_spin.svg")]
    places, _ = bake.bake_world(buttons, tmp_path, 1)
    names = ["button_spin", "button_spin_dead", "button_spin_lit"]
    assert {*names, *(f"{name}_large" for name in names)} == set(places)
    sheet = decoded((tmp_path / places["button_spin"].atlas).read_bytes())
    cut = [sheet[p.y : p.y + p.h, p.x : p.x + p.w] for p in map(places.__getitem__, names)]
    assert all(np.abs(one.astype(int) - two).mean() > 5 for one, two in itertools.combinations(cut, 2))


def test_a_win_swells_shines_and_returns(art: Path) -> None:
    """The first frame is the symbol in a margin, the middle one is larger, and light runs from left to right."""
    symbol = rasterise(read(art / "disc.svg"), 1)
    frames = motion.win_frames(symbol, None, 1)
    assert len(frames) == motion.FRAMES
    assert {(174, 184, 4)} == {frame.shape for frame in frames}
    solid = [int((frame[..., 3] == 255).sum()) for frame in frames]
    assert solid[6] == max(solid) > solid[0]
    brightest = [int(frame[87, 60:130, 2].argmax()) for frame in frames[4:7]]
    assert brightest == sorted(set(brightest))


def test_the_glow_of_a_symbol_lights_its_win(art: Path) -> None:
    """`<symbol>_glow.svg` brightens the middle of the win and is no sprite of its own."""
    (art / "disc_glow.svg").write_text(svg('<circle cx="80" cy="75" r="20" fill="#0000ff"/>'), "utf-8")
    symbol = rasterise(read(art / "disc.svg"), 1)
    light = rasterise(read(art / "disc_glow.svg"), 1)
    dark, lit = motion.win_frames(symbol, None, 1)[6], motion.win_frames(symbol, light, 1)[6]
    assert int(lit[100, 92, 2]) > int(dark[100, 92, 2]) + 60
    places, _ = bake.bake_world(read_folder(art), art.parent / "out", 1)
    assert "disc_glow" not in places


def test_the_blurred_symbol_is_smeared_along_the_strip_only() -> None:
    """A horizontal edge fades over many rows while a vertical one stays sharp."""
    picture: Picture = np.zeros((150, 160, 4), np.uint8)
    picture[60:90, 60:100] = (200, 100, 50, 255)
    smeared = motion.blurred(picture, 1)
    assert int(smeared[50, 80, 3]) > 0
    assert int(smeared[75, 59, 3]) == 0
    assert int(smeared[75, 80, 3]) < 255
    assert smeared[75, 80, :3].tolist() == [200, 100, 50]


def test_the_coin_turns(tmp_path: Path) -> None:
    """Eight frames, wide at first and narrow at the quarter."""
    places, _ = bake.bake_world([read(SHARED / "coin.svg")], tmp_path, 1)
    assert [f"coin_{number}" for number in range(8)] == sorted(places)
    sheet = decoded((tmp_path / places["coin_0"].atlas).read_bytes())
    wide, narrow = (
        int((sheet[place.y : place.y + place.h, place.x : place.x + place.w, 3] > 128).any(axis=0).sum())
        for place in (places["coin_0"], places["coin_4"])
    )
    assert wide > 50
    assert narrow < 16


def test_digits_share_one_advance() -> None:
    """A rolling figure must not shake; every character an amount needs is in the set."""
    sprites, entry = digits.cut(read(SHARED / "digits_gold.svg"), 1.5)
    advance = entry["advance"]
    assert isinstance(advance, dict)
    assert set("0123456789.,€ -") <= set(advance)
    assert len({advance[digit] for digit in "0123456789"}) == 1
    assert sprites["digits_gold_euro"].shape == (96, advance["€"] + 2 * 9, 4)


def test_a_digit_set_whose_boxes_do_not_add_up_is_refused(tmp_path: Path) -> None:
    """Glyphs, advances and the width of the row must agree, or figures would be cut through."""
    attributes = 'data-kind="digits" data-glyphs="01" data-advances="10 10" data-space="4" data-pad="2"'
    with pytest.raises(ArtError, match="width should be 28"):
        digits.cut(source(tmp_path, svg(DISC, f'width="40" height="20" {attributes}')), 1)


def test_packed_pictures_are_whole_and_apart(tmp_path: Path) -> None:
    """What lies at a place is the picture itself, no two places touch, and a full page starts another."""
    draw = np.random.default_rng(3)
    pictures: dict[str, Picture] = {
        f"p{number}": draw.integers(1, 255, (int(draw.integers(300, 900)), 1100, 4), np.uint8) for number in range(24)
    }
    places = atlas.pack(pictures, "sprites", tmp_path)
    pages = {path.name: decoded(path.read_bytes()) for path in tmp_path.glob("*.webp")}
    assert len(pages) > 1
    assert max(max(page.shape[:2]) for page in pages.values()) <= atlas.LARGEST
    for name, place in places.items():
        cut = pages[place.atlas][place.y : place.y + place.h, place.x : place.x + place.w]
        assert np.array_equal(pictures[name], cut)
    for one, two in itertools.combinations(places.values(), 2):
        across = one.x + one.w < two.x or two.x + two.w < one.x
        down = one.y + one.h < two.y or two.y + two.h < one.y
        assert one.atlas != two.atlas or across or down


def test_a_picture_larger_than_an_atlas_is_refused(tmp_path: Path) -> None:
    """The Pi's GPU takes textures of 4096 pixels a side."""
    with pytest.raises(atlas.AtlasError, match="wide is 4100x4"):
        atlas.pack({"wide": np.zeros((4, 4100, 4), np.uint8)}, "sprites", tmp_path)


def test_a_picture_survives_the_file_and_the_layer(tmp_path: Path) -> None:
    """Opaque pictures are saved without alpha; mixing form and back loses nothing that is seen."""
    picture = rasterise(read(SHARED / "note.svg"), 1)
    save(picture, tmp_path / "a.webp")
    assert np.array_equal(picture, decoded((tmp_path / "a.webp").read_bytes()))
    seen = picture[..., 3] > 0
    assert np.array_equal(picture[seen], to_picture(to_layer(picture))[seen])
    picture[..., 3] = 255
    save(picture, tmp_path / "b.webp")
    assert pygame.image.load(tmp_path / "b.webp").get_bitsize() == 24


def test_nothing_is_baked_twice(art: Path, tmp_path: Path) -> None:
    """A world is left alone until a source changes, an atlas is missing or the manifest is broken."""
    out = tmp_path / "baked"

    def run() -> bool:
        (line,) = bake.bake_art("trial", art, out, [1])
        return "unchanged" not in line

    manifest = out / "trial" / "1" / "manifest.json"
    assert run()
    assert not run()
    (art / "plain.svg").write_text(svg(DISC.replace("60", "40")), "utf-8")
    assert run()
    (manifest.parent / "sprites_0.webp").unlink()
    assert run()
    manifest.write_text(manifest.read_text("utf-8")[:40], "utf-8")
    assert run()
    assert not run()
    assert [manifest.parent] == list(manifest.parent.parent.iterdir())
    entry = json.loads(manifest.read_text("utf-8"))
    names = {"disc", "disc_blur", *(f"disc_win_{n:02}" for n in range(12))}
    assert {"plain", *names, *(f"{name}_reels" for name in names)} == set(entry["sprites"])
    assert entry["sprites"]["plain"].keys() == {"atlas", "x", "y", "w", "h"}
    assert entry["sprites"]["disc_win_00"]["atlas"] == "win_0.webp"


@pytest.mark.parametrize("name", ["journal.sqlite", "photo.webp", "a folder"])
def test_a_bake_removes_nothing_but_a_bake(art: Path, tmp_path: Path, name: str) -> None:
    """Its folder holds somebody's file: it stays, with all that lies beside it, and the bake says so."""
    folder = tmp_path / "baked" / "trial" / "1"
    folder.mkdir(parents=True)
    (folder / "old_0.webp").write_bytes(b"RIFF")
    other = folder / name
    if name == "a folder":
        other.mkdir()
    else:
        other.write_bytes(b"SQLite format 3")
    with pytest.raises(NotOursError, match=f"{name}: was not made by this program and stays as it is"):
        bake.bake_art("trial", art, tmp_path / "baked", [1])
    assert sorted(path.name for path in folder.iterdir()) == sorted([name, "old_0.webp"])


def test_a_bake_withdraws_no_list_of_sounds_but_its_own(tmp_path: Path) -> None:
    """Somebody's file has the name of the list that is removed until the sounds are whole."""
    other = tmp_path / "baked" / "sounds" / baked_sounds.MANIFEST
    other.parent.mkdir(parents=True)
    other.write_text("the operator's own words")
    with pytest.raises(NotOursError):
        bake._withdraw(tmp_path / "baked", [1.0])
    assert other.read_text() == "the operator's own words"


def test_a_bake_takes_no_link_for_its_folder(art: Path, tmp_path: Path) -> None:
    """What a link leads to is not the bake's."""
    (tmp_path / "books").mkdir()
    (tmp_path / "baked" / "trial").mkdir(parents=True)
    (tmp_path / "baked" / "trial" / "1").symlink_to(tmp_path / "books")
    with pytest.raises(NotOursError):
        bake.bake_art("trial", art, tmp_path / "baked", [1])
    assert (tmp_path / "books").is_dir()


def test_pictures_of_a_world_s_size_get_a_file_of_their_own(tmp_path: Path) -> None:
    """The display can load one background without the others."""
    (tmp_path / "sea.svg").write_text(
        svg('<rect width="1280" height="720" fill="#024"/>', 'width="1280" height="720"'), "utf-8"
    )
    places, _ = bake.bake_world(read_folder(tmp_path), tmp_path / "out", 1)
    assert places == {"sea": atlas.Place("sea_0.webp", 0, 0, 1280, 720)}


@pytest.mark.proof
def test_the_command_bakes_fonts_sounds_and_worlds_into_the_given_folder(tmp_path: Path) -> None:
    """`python -m ui.bake --out X --scale S` fills X and says what it did."""
    result = CliRunner().invoke(
        bake.main, ["--out", str(tmp_path), "--scale", "0.5", "--world", "ui"], catch_exceptions=False
    )
    assert result.exit_code == 0
    assert "ui at 0.5:" in result.output
    assert not (tmp_path / "neptune").exists()
    assert {name for name, _ in fonts.FILES.values()} == {path.name for path in (tmp_path / "fonts").iterdir()}
    assert "shared sounds:" in result.output
    assert not (tmp_path / "sounds" / "neptune").exists()


@pytest.mark.proof
def test_sounds_are_baked_once_and_each_by_itself(tmp_path: Path) -> None:
    """What is whole and unchanged is left alone; a file that is missing is made again, one that is left over goes."""
    folder = tmp_path / "sounds"
    assert "files" in baked_sounds.bake("", tmp_path)
    assert baked_sounds.bake("", tmp_path) == "shared sounds: unchanged"
    (folder / "button.flac").unlink()
    (folder / "old.flac").write_bytes(b"fLaC")
    (folder / "neptune").mkdir()
    assert "1 files" in baked_sounds.bake("", tmp_path)
    (folder / "manifest.json").write_text("{", "utf-8")
    assert "unchanged" not in baked_sounds.bake("", tmp_path)
    made = {baked_sounds.file_of(*entry) for entry in baked_sounds.sounds_in("").items()}
    assert {path.name for path in folder.iterdir()} == {*made, "manifest.json", "neptune"}


def test_a_sound_is_the_same_each_time(tmp_path: Path) -> None:
    """Noise is seeded: two bakes of one sound are equal byte for byte."""
    recipe = baked_sounds.sounds_in("")["note_in"]
    for name in ("one", "two"):
        baked_sounds.write(baked_sounds.made("note_in", recipe), tmp_path / f"{name}.flac")
    assert (tmp_path / "one.flac").read_bytes() == (tmp_path / "two.flac").read_bytes()


MOVING = '<rect id="part" x="40" y="40" width="40" height="40" fill="#fff" data-wait="shift 30 0 beat"/>'


def test_a_loop_is_twelve_pictures_as_large_as_its_source(tmp_path: Path) -> None:
    """Its parts move as they wait; the whole neither breathes nor glows."""
    loop = source(tmp_path, svg(DISC + MOVING, 'width="160" height="150" data-kind="loop"'))
    places, _ = bake.bake_world([loop], tmp_path / "baked", 1)
    assert sorted(places) == [f"trial_{number:02}" for number in range(12)]
    assert {(place.w, place.h) for place in places.values()} == {(160, 150)}
    rest, moved = (each.astype(int) for each in poses.loop(loop, 1)[:7:6])
    apart = np.argwhere(np.abs(rest - moved).any(axis=2))
    assert apart.min(axis=0).tolist() == [40, 40]
    assert apart.max(axis=0).tolist() == [79, 109]


@pytest.mark.parametrize("moving", [MOVING, MOVING.replace("data-wait", "data-win"), ""])
def test_the_tile_of_a_game_whose_star_moves_has_a_life_of_its_own(tmp_path: Path, moving: str) -> None:
    """Twelve pieces of the tile with its star as it waits, or else wins; the first is the tile's own piece."""
    texts = {
        "background": svg(ROWS, SCENERY),
        "logo": svg('<rect width="560" height="110" fill="#0f0"/>', 'width="560" height="110"'),
        "star": svg(DISC + moving, 'width="160" height="150" data-star="yes"'),
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.svg").write_text(text, "utf-8")
    folder = tmp_path / "baked"
    places, _ = bake.bake_world([read(tmp_path / f"{name}.svg") for name in texts], folder, 1)
    alive = [f"tile_{number:02}" for number in range(12)]
    assert [name in places for name in alive] == [bool(moving)] * 12
    if moving:

        def drawn(name: str) -> Picture:
            place = places[name]
            whole = decoded((folder / place.atlas).read_bytes())
            return whole[place.y : place.y + place.h, place.x : place.x + place.w]

        left, top, width, height = TILE_LIFE
        piece = drawn("tile")[top : top + height, left : left + width]
        assert np.abs(piece.astype(int) - drawn("tile_00")).max() <= 2
        assert np.abs(piece.astype(int) - drawn("tile_06")).max() > 100
