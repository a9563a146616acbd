"""A supervisor whose journal does not sync its WAL: the order proof must fail on it."""

import asyncio
import sys
from functools import partial
from pathlib import Path

from controller.configuration.cabinet_toml import load
from controller.journal.store import PRAGMAS
from controller.rounds.draws import seeded_source
from controller.supervisor import supervise
from controller.system.host import DemoHost

if __name__ == "__main__":
    weak = {**PRAGMAS, "synchronous": 1}
    asyncio.run(
        supervise(
            load(Path(sys.argv[1])), draws=partial(seeded_source, 1), simulated=True, host=DemoHost(), pragmas=weak
        )
    )
