"""What tests share lies in rigs: a test module that is imported by another would run its tests under two names."""

import re
import tomllib
from pathlib import Path

import grimp

ROOT = Path(__file__).parent
FROM_A_TEST = re.compile(
    r"^\s*(from|import)\s+(tests(\.\w+)*\.test_\w+|tests(\.\w+)*\s+import\s+.*\btest_)", re.MULTILINE
)
SKIP = re.compile(r"pytest\.skip\b|\bskipif\b|\bimportorskip\b|mark\.skip\b")


def test_no_module_imports_a_test_module() -> None:
    """Helpers, builders and fakes that two modules need are in tests/rigs, or in a module beside the tests."""
    found = [
        f"{path.relative_to(ROOT)}: {line.group().strip()}"
        for path in sorted(ROOT.rglob("*.py"))
        for line in FROM_A_TEST.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == [], "move what is imported into tests/rigs"


def test_every_skip_says_how_the_test_is_run() -> None:
    """Tests are skipped by `tests.rigs.needing` alone, which wants a reason and a way to have them run."""
    found = [
        f"{path.relative_to(ROOT)}: {line.group()}"
        for path in sorted(ROOT.rglob("*.py"))
        if path not in {Path(__file__), ROOT / "rigs" / "needing.py"}
        for line in SKIP.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_the_layout_table_is_the_contract() -> None:
    """README's folders are the layers in their order, and each row names the folders that it imports, no others."""
    contracts = tomllib.loads((ROOT.parent / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    folders = [name for layer in contracts["contracts"][0]["layers"] for name in layer.split(" | ")]
    assert folders == contracts["root_packages"]
    readme = (ROOT.parent / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| \[(\w+)/\]\(\w+\) \| .* \| (.*)\|$", readme, re.MULTILINE)
    said = {folder: set(re.findall(r"`(\w+)`", imports)) for folder, imports in rows}
    graph = grimp.build_graph(*folders, cache_dir=None)
    imported = {
        folder: {
            other.partition(".")[0]
            for module in graph.find_descendants(folder) | {folder}
            for other in graph.find_modules_directly_imported_by(module)
        }
        - {folder}
        for folder in folders
    }
    assert list(said) == folders
    assert said == imported
    of_ui = {
        other
        for module in graph.find_descendants("controller")
        for other in graph.find_modules_directly_imported_by(module)
        if other.startswith("ui")
    }
    assert of_ui == {"ui.protocol.messages", "ui.protocol.values", "ui.protocol.view_parts"}


BETWEEN_FEATURES = {
    "demo > console",
    "demo > venue",
}
"""What features still import of each other: what two of them share belongs into the core. The set only shrinks."""


def test_features_import_each_other_no_more_than_is_known() -> None:
    """A feature can be taken away once no other imports it."""
    graph = grimp.build_graph("controller", cache_dir=None)
    place = "controller.features."
    found = {
        f"{module.split('.')[2]} > {other.split('.')[2]}"
        for module in graph.modules
        for other in graph.find_modules_directly_imported_by(module)
        if module.startswith(place) and other.startswith(place) and module.split(".")[2] != other.split(".")[2]
    }
    assert found == BETWEEN_FEATURES
