"""Group the devices by line, put bridges before MDB peripherals, and plug each line into its terminal."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from drivers.simulated.cctalk.party_line import PartyLine
from drivers.simulated.fitted import Fitted, pays_from_tubes, pays_with_notes
from drivers.simulated.mdb.bridge import MdbBridge
from drivers.simulated.mdb.peripheral import MdbPeripheral
from drivers.simulated.pty_line import PtyLine
from drivers.simulated.tcp_line import TcpLine
from drivers.wiring import Wiring

CARD_LINK: Final = "tty-cards"
"""The card wedge, which always exists; `[cards]` decides whether it is read."""
PTY_LINKS: Final = {
    "coin": "tty-coin",
    "bill": "tty-bill",
    "hopper": "tty-hopper",
    "printer": "tty-printer",
    "card_reader": CARD_LINK,
}


def shared_lines(wiring: Wiring) -> list[list[str]]:
    """Return the names of the devices on each line; devices wired to one port share a line."""
    wired = {
        "coin": wiring.coin_acceptor,
        "bill": wiring.bill_validator,
        "hopper": None if pays_with_notes(wiring) or pays_from_tubes(wiring) else wiring.hopper,
        "printer": wiring.ticket_printer,
    }
    lines: dict[str, list[str]] = {}
    for name, device in wired.items():
        if device is not None:
            lines.setdefault(os.path.normpath(device.port), []).append(name)
    return list(lines.values())


def bridged(lines: Sequence[list[str]], fitted: dict[str, Fitted]) -> list[list[str]]:
    """Return `lines` with a bridge before the MDB peripherals of each; the bridge is fitted, too, as `bridge`."""
    return [_behind_bridge(names, fitted) for names in lines]


def _behind_bridge(names: list[str], fitted: dict[str, Fitted]) -> list[str]:
    peripherals = [one for name in names if isinstance(one := fitted[name].device, MdbPeripheral)]
    if not peripherals:
        return names
    bridge = MdbBridge(peripherals, feeds=False)
    name = "bridge" if "bridge" not in fitted else f"bridge_{names[0]}"
    fitted[name] = Fitted(bridge, bridge.troubles())
    return [name, *names]


def plug_in(names: Sequence[str], fitted: dict[str, Fitted], run: Path, *, echo: bool, network: str = "") -> None:
    """Plug the devices of one line into a terminal in `run`, at the link of the first of them that has one.

    A printer whose TCP address is `network` listens there; raise `OSError` if it cannot.
    """
    together = [fitted[name] for name in names]
    on_line = [one.device for one in together if not isinstance(one.device, MdbPeripheral)]
    device = PartyLine(on_line, echo=echo) if len(on_line) > 1 else on_line[0]
    misbehaviour = together[0].misbehaviour
    line: PtyLine | TcpLine
    if network and names == ["printer"]:
        line = TcpLine(device, network, misbehaviour)
    else:
        line = PtyLine(device, run / next(PTY_LINKS[name] for name in names if name in PTY_LINKS), misbehaviour)
    for one in together:
        one.line, one.misbehaviour = line, misbehaviour
