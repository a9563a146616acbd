"""docs/configuration.md lists the keys as their fields declare them."""

import msgspec
import pytest

from controller.configuration.cabinet_toml import Payout, whole_file
from controller.features.sas.configuration import HostPort
from tests import key_reference

STRUCTS = [
    key_reference.struct_at(field.encode_name)
    for field in msgspec.structs.fields(whole_file())
    if field.encode_name != "tower"
]


def test_the_lists_are_written_anew() -> None:
    """`make configuration-page` writes them."""
    page = key_reference.PAGE.read_text("utf-8")
    assert key_reference.page(page) == page


def test_every_table_has_a_list() -> None:
    """Of the whole file; a second host port has the first one's."""
    listed = set(key_reference.LIST.findall(key_reference.PAGE.read_text("utf-8")))
    tables = {field.encode_name for field in msgspec.structs.fields(whole_file())} - {"host_port_2"}
    assert listed == tables | {"pins.pulse"}


@pytest.mark.parametrize("struct", STRUCTS, ids=lambda struct: struct.__name__)
def test_every_key_has_a_sentence(struct: type[msgspec.Struct]) -> None:
    """Below its field, and so on the page."""
    silent = [
        field.name for field in msgspec.structs.fields(struct) if field.name not in key_reference.sentences(struct)
    ]
    assert silent == []


def test_an_item_has_default_sentence_choices_and_bounds() -> None:
    """As the page shows them."""
    shown = [*key_reference.listed(Payout, "payout"), *key_reference.listed(HostPort, "host_port")]
    assert shown[0].startswith('- `residue` = `"credit"`: What becomes of a rest')
    assert shown[3].endswith("(5 to 600 s)")
    assert "- `port`: A serial port of its own (required)" in shown
    assert "- `address` = `1`: The cabinet's address on that line (1 to 127; 0 is broadcast)" in shown
    assert any('`"clock"` `"games"`' in line for line in shown)
