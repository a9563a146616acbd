"""A supervisor whose journal does not sync its WAL: what the order proof must be able to tell from the real one."""

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
