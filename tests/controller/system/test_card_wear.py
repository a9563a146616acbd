"""The wear of the card that has the books, as the kernel shows it."""

import os
from pathlib import Path

import pytest

from controller.system.card_wear import card_wear_percent


def card(folder: Path, life_time: str, pre_eol_info: str, *, partition: bool = True) -> Path:
    """The kernel's folders of a card that has the books in this folder."""
    number = folder.stat().st_dev
    device = folder / "devices/mmc0:0001"
    block = device / "block/mmcblk0"
    place = block / "mmcblk0p2" if partition else block
    place.mkdir(parents=True)
    (block / "device").symlink_to(device)
    (device / "life_time").write_text(life_time)
    (device / "pre_eol_info").write_text(pre_eol_info)
    links = folder / "dev"
    links.mkdir()
    (links / f"{os.major(number)}:{os.minor(number)}").symlink_to(place)
    return links


@pytest.mark.parametrize(
    ("life_time", "pre_eol_info", "percent"),
    [
        ("0x01 0x01\n", "0x01\n", 10),
        ("0x02 0x05\n", "0x01\n", 50),
        ("0x0a 0x00\n", "0x01\n", 100),
        ("0x0b 0x01\n", "0x03\n", 100),
        ("0x03 0x03\n", "0x02\n", 80),
        ("0x00 0x00\n", "0x03\n", 90),
        ("0x00 0x00\n", "0x00\n", None),
        ("0x10 0xff\n", "0x01\n", None),
        ("nonsense\n", "0x01\n", None),
        ("", "", None),
    ],
)
@pytest.mark.parametrize("partition", [True, False])
def test_the_worst_of_what_the_card_says_counts(
    tmp_path: Path, life_time: str, pre_eol_info: str, percent: int | None, *, partition: bool
) -> None:
    """Tenths of its life in two kinds of memory, and the reserved blocks; nothing where it says nothing."""
    assert card_wear_percent(tmp_path, card(tmp_path, life_time, pre_eol_info, partition=partition)) == percent


def test_a_card_that_does_not_say_has_no_figure(tmp_path: Path) -> None:
    """An SD card, another disk, a file system without a device."""
    assert card_wear_percent(tmp_path, tmp_path) is None
    links = card(tmp_path, "0x01 0x01\n", "0x01\n")
    (tmp_path / "devices/mmc0:0001/life_time").unlink()
    assert card_wear_percent(tmp_path, links) is None
