"""Any order of what befalls cabinets with pulses, a SMART Hopper, a note recycler or an MDB bus leaves the books right.

What the player gave and got, what the devices hold and what the books say agree; of pulses, a kill or a cut loses what
was on its way at that moment and nothing else, and a burst that had begun is an open item.
"""

from hypothesis import settings

from tests.rigs.stateful.mdb import MdbBus
from tests.rigs.stateful.money import Pulsing, RecyclerPays, SmartHopperPays

Pulsing.TestCase.settings = settings(max_examples=4, stateful_step_count=15)
SmartHopperPays.TestCase.settings = settings(max_examples=2, stateful_step_count=12)
RecyclerPays.TestCase.settings = settings(max_examples=2, stateful_step_count=12)
MdbBus.TestCase.settings = settings(max_examples=2, stateful_step_count=12)
TestPulsing = Pulsing.TestCase
TestSmartHopperPays = SmartHopperPays.TestCase
TestRecyclerPays = RecyclerPays.TestCase
TestMdbBus = MdbBus.TestCase
