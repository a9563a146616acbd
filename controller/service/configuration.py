"""C: the configuration, with the technician's key and the open main door; one page per group of settings."""

from collections.abc import Callable, Iterable, Sequence

from controller.configuration.cabinet_toml import Config
from controller.journal.transaction import Transaction
from controller.service.page import Line, Page
from controller.service.serviced_machine import ServicedMachine
from controller.service.setting_lines import lines_of, settings_page, switches_network
from controller.settings import settings_table as table
from controller.settings.settings import locked_by
from gamekit.catalogue import load
from gamekit.play import Game

IDLE_AT = "Ready, at a coin value of"
BETS, GAMBLE, BETS_AND_GAMBLE = "Bets of {place}", "Gamble of {place}", "Bets and gamble of {place}"
STATES = {"up": "switched on", "down": "switched off"}
"""Texts for the system's interface states; others are shown as they are."""
NO_INTERFACE = "No interface is named in the configuration"
NOT_THERE = "not there"


def _plain(settings: Callable[[Config], Iterable[table.Setting]]) -> Callable[..., Sequence[Line]]:
    return lambda _tx, machine: lines_of(settings(machine.settings.config), machine)


def locked_lines(tx: Transaction) -> list[Line]:
    """Return the reason why money settings are currently locked, shown first on the page (C11)."""
    reason = locked_by(tx)
    return [Line(reason, tone="bad")] if reason else []


def _money(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    return [*locked_lines(tx), *lines_of(table.money(machine.settings.config), machine)]


def _games(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    """Return the settings of all games, then a link for each game that has settings of its own."""
    lines = [*locked_lines(tx), *lines_of(table.games(machine.settings.config), machine)]
    for number, name in enumerate(machine.settings.config.games.enabled, start=1):
        game, settings = load(name), tuple(table.of_game(machine.settings.config, name))
        if settings:
            page = settings_page(f"C.3.{number}", game.title, settings)
            lines.append(Line(_own_page(game), place=game.title, leads=page))
    return lines


def _fair_play(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    return [*locked_lines(tx), *lines_of(table.fair_play(machine.settings.config), machine)]


def _own_page(game: Game) -> str:
    """Return the label of a game's own settings."""
    if game.total_bets is None:
        return GAMBLE
    return BETS_AND_GAMBLE if game.gamble_cap_cents else BETS


def _tower(_tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    """Return the conditions, strongest first, each with a link to the patterns of the tiers."""
    lines = []
    for number, condition in enumerate(table.tower_conditions(machine.settings.config), start=1):
        label = table.CONDITIONS.get(condition, IDLE_AT)
        cents = None if condition in table.CONDITIONS else int(condition.rpartition(".")[2])
        tiers = tuple(table.tower(machine.settings.config, condition))
        head = [] if cents is None else [Line(label, cents=cents, tone="heading")]  # a title cannot hold an amount
        lines.append(Line(label, cents=cents, leads=settings_page(f"C.5.{number}", label, tiers, head)))
    return lines


def _network(_tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    """Return the system's interfaces, and the switch of the configured one."""
    own = machine.settings.config.network.interface
    found = machine.settings.interfaces.listed()
    lines = [Line(NO_INTERFACE)] if not own else []
    for interface in found:
        detail = "   ".join(filter(None, (interface.address, interface.hardware_address)))
        state = STATES.get(interface.state, interface.state)
        lines.append(Line("Interface {place}", state, place=interface.name, detail=detail))
    if own and own not in [interface.name for interface in found]:
        lines.append(Line("Interface {place}", NOT_THERE, place=own, tone="bad"))
    return [*lines, *(switches_network(setting, machine) for setting in table.network(machine.settings.config))]


PAGES = (
    Page("C.1", "Site", _plain(table.site), technician=True, door=True),
    Page("C.2", "Money", _money, technician=True, door=True),
    Page("C.3", "Games and bets", _games, technician=True, door=True),
    Page("C.4", "Sound, brightness, attract", _plain(table.sound_and_screen), technician=True, door=True),
    Page("C.5", "Tower-light table", _tower, technician=True, door=True),
    Page("C.6", "Network", _network, technician=True, door=True),
    Page("C.9", "Fair play", _fair_play, technician=True, door=True),
)
