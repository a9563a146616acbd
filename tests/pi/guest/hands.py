"""Within the emulated machine, as root: a player's hands on the buttons, and an attendant's key, until SIGTERM.

`python3 hands.py CABINET_TOML SIM SEED` presses what is lit, through gpio-sim's sysfs: mostly SPIN, now and then
COLLECT; where COLLECT alone is lit somebody is called, and the attendant's key is turned. It needs nothing but the
standard library.
"""

import random
import sys
import time
import tomllib
from pathlib import Path

HELD_S, PAUSES_S = 0.15, (0.2, 0.4, 0.8, 1.6)
COLLECTS, TURNS = 0.4, 0.3


def main(configuration: Path, sim: Path, seed: int) -> None:
    """Play."""
    pins = tomllib.loads(configuration.read_text(encoding="utf-8"))["pins"]
    chance = random.Random(seed)

    def tap(name: str, pin: int) -> None:
        sys.stdout.write(f"{name}\n")
        sys.stdout.flush()
        pull = sim / f"sim_gpio{pin}" / "pull"
        pull.write_text("pull-down", encoding="ascii")
        time.sleep(HELD_S)
        pull.write_text("pull-up", encoding="ascii")

    def lit(name: str) -> bool:
        return (sim / f"sim_gpio{pins['buttons'][name]['lamp']}" / "value").read_text(encoding="ascii").strip() == "1"

    while True:
        spin, collect = lit("spin"), lit("collect")
        if collect and not spin and chance.random() < TURNS:
            tap("the attendant's key", pins["keys"]["attendant"]["pin"])
        elif collect and chance.random() < COLLECTS:
            tap("collect", pins["buttons"]["collect"]["pin"])
        else:
            tap("spin", pins["buttons"]["spin"]["pin"])
        time.sleep(chance.choice(PAUSES_S))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
