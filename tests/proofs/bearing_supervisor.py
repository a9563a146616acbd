"""A supervisor that reads its peers as fast as they send, and never has enough of them: it can be fuzzed for long."""

import asyncio
import logging
import sys
from functools import partial
from pathlib import Path

from controller.configuration.cabinet_toml import load
from controller.rounds.draws import seeded_source
from controller.supervisor import supervise
from controller.system.host import DemoHost
from controller.system.peers import Bounds

BOUNDS = Bounds(packet_every_s=0.0, connection_every_s=0.0, slips_at_once=1, slip_every_s=0.0, first_ban_s=0.0)

if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    asyncio.run(
        supervise(
            load(Path(sys.argv[1])), draws=partial(seeded_source, 1), simulated=True, host=DemoHost(), bounds=BOUNDS
        )
    )
