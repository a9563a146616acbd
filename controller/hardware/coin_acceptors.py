"""Selects the driver that takes coins: a ccTalk coin acceptor's, or an MDB coin changer's."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from controller.configuration.cabinet_toml import Config
from drivers.capabilities import CoinListener
from drivers.clock import Clock
from drivers.pins.coin_gates import CoinGates
from drivers.port import Port
from drivers.wiring import CoinAcceptor as Settings

if TYPE_CHECKING:
    from drivers.cctalk.coin_acceptor import CoinAcceptor
    from drivers.mdb.changer import Changer
    from drivers.mdb.coin_changer import CoinChanger

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
    changer: "Changer | None" = None,
) -> "AnyCoinAcceptor":
    """Return the driver of `[coin_acceptor]`; only this driver is imported.

    `changer` connects the driver of an MDB acceptor with that of its tubes.
    """
    currency = config.cabinet.money.tender
    if settings.protocol == "mdb":
        from drivers.mdb.coin_changer import CoinChanger  # noqa: PLC0415 - only what is configured

        return CoinChanger(settings, port, clock, listener, currency=currency, gates=gates, changer=changer)
    from drivers.cctalk.coin_acceptor import CoinAcceptor  # noqa: PLC0415 - as above

    return CoinAcceptor(settings, port, clock, listener, currency=currency, gates=gates, hopper_takes=hopper_takes)
