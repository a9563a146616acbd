"""The page's configuration names the display's program where the art is."""

from pathlib import Path

import pytest

from venue.page.config import ConfigError, load
from venue.page_files import with_display

WRITTEN = '[page]\ndatabase = "dbname=venue"\nsecret_file = "/etc/secret"\nhosts = ["localhost"]\n'


def test_a_page_draws_rounds_where_the_art_is(tmp_path: Path) -> None:
    """Without art nothing is changed; with it `display` names the program and the art's whole path, once."""
    file, baked = tmp_path / "page.toml", tmp_path / "baked"
    file.write_text(WRITTEN)
    with_display(file, baked)
    assert load(file).display == ()
    (baked / "ui").mkdir(parents=True)
    with_display(file, baked)
    assert load(file).display[-4:] == ("-m", "ui.redraw", "--baked", str(baked))
    content = file.read_text()
    with_display(file, baked)
    assert file.read_text() == content


def test_what_an_administrator_wrote_stays(tmp_path: Path) -> None:
    """A display that is named, or left empty on purpose, is kept."""
    file = tmp_path / "page.toml"
    (tmp_path / "ui").mkdir()
    for display in ("[]", '["/usr/bin/draw"]'):
        file.write_text(f"{WRITTEN}display = {display}\n")
        with_display(file, tmp_path)
        assert file.read_text() == f"{WRITTEN}display = {display}\n"


@pytest.mark.parametrize("line", ['secret_file = "secret"', 'secret_file = "/etc/secret"\nspool = "rounds"'])
def test_a_path_of_the_page_is_a_whole_one(tmp_path: Path, line: str) -> None:
    """It would be another file wherever the page is started."""
    file = tmp_path / "page.toml"
    file.write_text(f'[page]\ndatabase = "dbname=venue"\nhosts = ["localhost"]\n{line}\n')
    with pytest.raises(ConfigError, match="give the whole path, from / on"):
        load(file)
