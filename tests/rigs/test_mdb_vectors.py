"""The MDB vectors are well-formed: columns, checksums, unique names."""

from collections import Counter

from tests.rigs.vectors import vectors

ROWS = list(vectors("mdb.tsv"))


def test_every_line_has_five_columns() -> None:
    """Kind, device, name, value, meaning: a tab too many or too few would shift a constant."""
    assert {len(row) for row in ROWS} == {5}


def test_every_name_is_given_once() -> None:
    """A constant is looked up by kind, device and name."""
    assert [name for name, times in Counter((row[0], row[1], row[2]) for row in ROWS).items() if times > 1] == []


def test_every_block_ends_in_its_checksum() -> None:
    """The last byte of a block is the sum of the others, modulo 256 (section 2.2)."""
    blocks = [bytes.fromhex(row[3]) for row in ROWS if row[0] in {"request", "answer"}]

    assert [block.hex(" ") for block in blocks if sum(block[:-1]) % 256 != block[-1] or len(block) > 36] == []
    assert len(blocks) > 40
