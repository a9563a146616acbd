"""The pulses of acceptors by their makers' manuals."""

from typing import Final

from drivers.simulated.pins.pulse_acceptor import PulseHabits

MAKES: Final = {
    "dg600f": PulseHabits(pulse_ms=45, rest_ms=100, tolerance=0.2),
    "ict_fast": PulseHabits(pulse_ms=50, rest_ms=100, travel_ms=1500),
    "ict_slow": PulseHabits(pulse_ms=50, rest_ms=300, travel_ms=1500),
    "nv9_parallel": PulseHabits(pulse_ms=100, rest_ms=100, tolerance=0.03, travel_ms=1500),
}
"""DG600F (technical manual 1.0, 4.3: 25, 45, 65 or 100 ms, 20 % either way), ICT note acceptors (fast and slow output),
and ITL's NV9 with one output for each note (GA326: 100 ms, 3 ms either way)."""
