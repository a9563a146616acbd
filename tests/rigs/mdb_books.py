"""The books of a coin changer, whose acceptor and tubes are one device."""

from tests.rigs.cctalk_books import CoinBooks
from tests.rigs.ssp_cash import LevelBooks


class ChangerBooks(CoinBooks, LevelBooks):
    """The books of both drivers: coins that fall into the tubes are nothing to find."""

    def __init__(self) -> None:
        CoinBooks.__init__(self)
        kept = self.__dict__.copy()
        LevelBooks.__init__(self)
        self.__dict__.update(kept)
