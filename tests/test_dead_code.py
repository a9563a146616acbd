"""What `make check` calls unused code."""

from pathlib import Path

from tests.dead_code import unused


def test_what_nobody_names_is_unused(tmp_path: Path) -> None:
    """A name in code or in a string that leads to it is a use; a docstring, and a test elsewhere, is none."""
    folder, elsewhere = tmp_path / "product", tmp_path / "tests"
    folder.mkdir()
    elsewhere.mkdir()
    functions = "".join(f"def {name}():\n    return 1\n" for name in ("called", "loaded", "served", "spoken", "proved"))
    (folder / "parts.py").write_text(functions)
    looked_up = 'print(["parts:loaded", "product.parts.served"])'
    (folder / "use.py").write_text(f'"""Of spoken."""\nimport parts\nparts.called()\n{looked_up}\n')
    (elsewhere / "test_parts.py").write_text("import parts\nparts.proved()\n")
    found = unused([folder])
    assert [line.partition(": ")[2].split("'")[1] for line in found] == ["spoken", "proved"]
