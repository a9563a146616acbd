"""Which driver takes coins: a ccTalk coin acceptor's, or an MDB coin changer's."""

from collections.abc import Callable

from controller.configuration.cabinet_toml import Config
from drivers.capabilities import CoinListener
from drivers.cctalk.coin_acceptor import CoinAcceptor
from drivers.clock import Clock
from drivers.mdb.changer import Changer
from drivers.mdb.coin_changer import CoinChanger
from drivers.pins.coin_gates import CoinGates
from drivers.port import Port
from drivers.wiring import CoinAcceptor as Settings

AnyCoinAcceptor = CoinAcceptor | CoinChanger


def coin_acceptor_of(
    settings: Settings,
    config: Config,
    port: Port,
    clock: Clock,
    listener: CoinListener,
    *,
    gates: CoinGates | None = None,
    hopper_takes: Callable[[], int] = lambda: 0,
    changer: Changer | None = None,
) -> AnyCoinAcceptor:
    """Return the driver of `[coin_acceptor]`; a changer's meets that of its tubes at `changer`."""
    currency = config.cabinet.money.tender
    if settings.protocol == "mdb":
        return CoinChanger(settings, port, clock, listener, currency=currency, gates=gates, changer=changer)
    return CoinAcceptor(settings, port, clock, listener, currency=currency, gates=gates, hopper_takes=hopper_takes)
