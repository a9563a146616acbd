"""Pulses that a service test has given to the hard meters: counted, so that soft against hard stays explained (M11).

Such a pulse is owed by no posting; what a hard meter shows is what it was given for the books plus what tests gave. Its
count is a meter of its own, which only rises. A pulse is in flight from before the coil is driven: one that is found so
at a start had its power cut, and counts as given and doubtful.
"""

from controller.journal.key_value import device_state, forget_device_state, keep_device_state
from controller.journal.periods import lifetime
from controller.journal.transaction import Transaction

PREFIX = "test_pulses_"
"""Before the hard meter's name: the meter that counts its test pulses."""
DOUBTFUL_PREFIX = "doubtful_test_pulses_"
"""As above, for those among them of which nobody knows whether the meter stepped."""
GIVEN, CUT = "test_pulse", "test_pulse_cut"
"""Events: a test pulse was given; nobody can say whether the meter stepped."""
_IN_FLIGHT = "test pulse"


def pulses_in_tests(tx: Transaction) -> dict[str, int]:
    """Return how many test pulses each hard meter was given, doubtful ones included."""
    return _counted(tx, PREFIX)


def doubtful_pulses_in_tests(tx: Transaction) -> dict[str, int]:
    """Return how many of them are doubtful."""
    return _counted(tx, DOUBTFUL_PREFIX)


def _counted(tx: Transaction, prefix: str) -> dict[str, int]:
    return {name.removeprefix(prefix): value for name, value in lifetime(tx).items() if name.startswith(prefix)}


def begin_test_pulse(tx: Transaction, meter: str) -> None:
    """Note that the coil of `meter` is about to be driven for a test."""
    keep_device_state(tx, _IN_FLIGHT, meter)


def end_test_pulse(tx: Transaction, meter: str, *, doubt: str = "") -> None:
    """Count the pulse as given; `doubt` says why nobody knows whether the meter stepped."""
    _count(tx, meter, doubt or f"hard meter {meter} was given one pulse", doubtful=bool(doubt))


def take_back_test_pulse(tx: Transaction) -> None:
    """Count nothing: no current flowed."""
    forget_device_state(tx, _IN_FLIGHT)


def settle_cut_test_pulse(tx: Transaction) -> None:
    """Count, at a start, the test pulse that the power cut short."""
    meter = device_state(tx, _IN_FLIGHT)
    if meter is not None:
        _count(tx, meter, f"power was cut while the {meter} meter was pulsed in a test", doubtful=True)


def _count(tx: Transaction, meter: str, text: str, *, doubtful: bool) -> None:
    forget_device_state(tx, _IN_FLIGHT)
    meters = {f"{PREFIX}{meter}": 1, **({f"{DOUBTFUL_PREFIX}{meter}": 1} if doubtful else {})}
    tx.event(CUT if doubtful else GIVEN, text, place=meter, meters=meters)
