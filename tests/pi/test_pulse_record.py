"""What is read of the kernel's record of lines."""

from tests.pi.pulse_record import pulses

TRACE = """
# tracer: nop
          python-401     [000] .....    10.100000: gpio_value: 527 set 0
          python-401     [000] .....    10.200000: gpio_value: 527 set 1
          python-401     [000] .....    10.210000: gpio_value: 525 set 1
          python-401     [000] .....    10.220000: gpio_value: 527 set 1
          python-401     [000] .....    10.250000: gpio_value: 527 set 0
          python-401     [000] .....    10.400000: gpio_value: 527 set 1
          python-401     [000] .....    10.460000: gpio_value: 527 set 0
"""


def test_a_pulse_is_from_its_first_high_to_its_next_low() -> None:
    """A level that is written again is no pulse, and a pulse that has not ended is none yet."""
    found = pulses(TRACE)
    assert {line: [round(ms, 3) for ms in lengths] for line, lengths in found.items()} == {527: [50.0, 60.0], 525: []}
