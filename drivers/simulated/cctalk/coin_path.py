"""The path of coins in a cabinet: past the lockout, the acceptor and the diverter into the hopper or the cash box."""

from collections.abc import Callable

from drivers.pin_names import Pin
from drivers.simulated.cctalk.coin_acceptor import SimulatedCoinAcceptor
from drivers.simulated.cctalk.hopper import SimulatedHopper
from drivers.simulated.ssp.smart_hopper import SimulatedSmartHopper
from drivers.wiring import Wiring

CoinHopper = SimulatedHopper | SimulatedSmartHopper


class CoinPath:
    """The chutes between the coin slot, `hopper` and cash box, wired as `wiring` says.

    `cash_box_cents` is the content of the box. While `diverter_stuck` the diverter does not move. `on_change()` is
    called after each coin has fallen.
    """

    def __init__(self, wiring: Wiring, *, cash_box_cents: int, on_change: Callable[[], None]) -> None:
        self.cash_box_cents = cash_box_cents
        self.diverter_stuck = False
        self._strays_cents = 0
        self.acceptor: SimulatedCoinAcceptor | None = None
        self.hopper: CoinHopper | None = None
        self._gates: dict[Pin, str] = {output.pin: name for name, output in wiring.pins.coin.items()}
        self._hopper_path = wiring.coin_acceptor.hopper_path if wiring.coin_acceptor else 0
        self._energised = dict.fromkeys(wiring.pins.coin, False)
        self._on_change = on_change

    def fit(self, acceptor: SimulatedCoinAcceptor | None, hopper: CoinHopper | None) -> None:
        """Connect the chutes to these two devices."""
        self.acceptor, self.hopper = acceptor, hopper
        if acceptor is not None:
            acceptor.accepted = self.fall
            acceptor.let_in = self._energised.get("lockout", True)

    @property
    def strays_cents(self) -> int:
        """The value of coins of another kind in the hopper, which it would pay out as its own."""
        in_hopper = sum(self.hopper.strays) if isinstance(self.hopper, SimulatedHopper) else 0
        return self._strays_cents + in_hopper

    def drive(self, pin: Pin, *, level: bool) -> None:
        """Follow an output of the header to `level`; ignore one that drives no gate."""
        gate = self._gates.get(pin)
        if gate is None or (gate == "diverter" and self.diverter_stuck):
            return
        self._energised[gate] = level
        if gate == "lockout" and self.acceptor is not None:
            self.acceptor.let_in = level

    def fall(self, value_cents: int) -> None:
        """Drop an accepted coin where the sorter or the diverter sends it."""
        sorted_out = self._hopper_path and self.acceptor and self.acceptor.path_of(value_cents) == self._hopper_path
        if not (sorted_out or self._energised.get("diverter")) or self.hopper is None:
            self.cash_box_cents += value_cents
        elif value_cents == self.hopper.value_cents:
            self.hopper.stock += 1
        elif isinstance(self.hopper, SimulatedHopper):
            self.hopper.strays.append(value_cents)
        else:
            self._strays_cents += value_cents
        self._on_change()
