"""The presets of jurisdictions are those of the table in docs/fair-play.md, key by key."""

import re
import tomllib
from pathlib import Path

import pytest

from controller.features.care.presets import JURISDICTIONS, PRESETS, Preset
from controller.settings.settings import Value, value_at
from controller.settings.settings_table import all_settings
from tests.rigs.virtual_cabinet import only

PAGE = (Path(__file__).parents[3] / "docs" / "fair-play.md").read_text("utf-8")
CODES = ("uk", "de", "ontario", "nsw", "none")
ROW = re.compile(r"^\| `((?:games|player)\.\w+)` \| (.*) \|$", re.MULTILINE)


def table() -> dict[str, dict[str, Value]]:
    """Return the page's table: the settings of each jurisdiction by its code."""
    found: dict[str, dict[str, Value]] = {code: {} for code in CODES}
    for key, cells in ROW.findall(PAGE):
        values = [cell.rstrip("†*\\ ") for cell in cells.split("|")]
        for code, value in zip(CODES, values, strict=True):
            assert key not in found[code], f"{key} has two rows"
            found[code][key] = tomllib.loads(f"value = {value}")["value"]
    return found


def test_the_table_has_a_column_for_each_jurisdiction() -> None:
    """One choice each, all of them in C.8."""
    assert "| key | " + " | ".join(f"`{code}`" for code in CODES) + " |" in PAGE
    assert tuple(preset.jurisdiction for preset in JURISDICTIONS) == CODES
    assert PRESETS[-len(CODES) :] == JURISDICTIONS


@pytest.mark.parametrize("preset", JURISDICTIONS, ids=CODES)
def test_a_preset_is_what_the_table_says(preset: Preset) -> None:
    """Neither more keys nor fewer, and every value."""
    assert dict(preset.values) == table()[preset.jurisdiction]


def test_every_key_of_fair_play_is_in_each_preset(tmp_path: Path) -> None:
    """So that one preset takes back all that another has set, and each can be set alone in the menu."""
    (keys,) = {frozenset(preset.values) for preset in JURISDICTIONS}
    assert keys >= {f"player.{name}" for name in only(tmp_path, "neptune").player.__struct_fields__}
    assert keys <= {setting.key for setting in all_settings(only(tmp_path, "neptune"))}


def test_no_rules_are_the_defaults(tmp_path: Path) -> None:
    """A cabinet without a jurisdiction is as it was."""
    config = only(tmp_path, "neptune")
    assert {key: value_at(config, key) for key in JURISDICTIONS[-1].values} == dict(JURISDICTIONS[-1].values)


def test_what_is_marked_is_explained() -> None:
    """Each mark of the table, and each jurisdiction, has its words and sources."""
    assert "- † from a public text about the rule" in PAGE
    assert "- \\* no public text was found" in PAGE
    sources = PAGE.partition("### Sources")[2]
    assert all(f"- `{code}`: " in sources for code in CODES[:-1])
