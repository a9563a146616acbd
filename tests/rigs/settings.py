"""Every setting of a full cabinet, and what may be typed for it."""

from pathlib import Path

import msgspec

from controller.configuration.cabinet_toml import Config, parse
from controller.settings.settings_table import OFF, ON, Setting, all_settings
from gamekit.catalogue import names
from tests.rigs.virtual_cabinet import SAMPLE, only


def cabinet_in(folder: Path) -> Config:
    """A cabinet with all games, their pictures, and an interface that may be switched."""
    for name in names():
        (folder / "baked" / name / "1").mkdir(parents=True)
        (folder / "baked" / name / "1" / "manifest.json").touch()
    config, replace = only(folder, *names()), msgspec.structs.replace
    display = replace(config.display, baked=str(folder / "baked"))
    return replace(config, display=display, network=replace(config.network, interface="eth7"))


TABLE = {
    setting.name: setting
    for setting in all_settings(
        msgspec.structs.replace(
            parse(SAMPLE.read_text()), network=msgspec.structs.replace(parse(SAMPLE.read_text()).network, interface="x")
        )
    )
}


def goods(setting: Setting) -> list[str]:
    """What may be typed for a setting: the lowest and the highest, or every choice, or texts short and long."""
    match setting.kind:
        case "number" | "cents":
            low, high = setting.limits
            return [str(low), str(high), str((low + high) // 2)]
        case "switch":
            return [ON, OFF, ON]
        case "choice":
            return [words for _, words in setting.choices]
    return ["A", "ÄÖÜ 1-2/3", "X" * 24]


REFUSABLE = {
    "cabinet.money.currency",
    "cabinet.money.decimal",
    "cabinet.money.thousands",
    "games.default",
    "games.default_coin_value_cents",
}
"""Settings that hang on others: some of their choices are refused, in words."""
