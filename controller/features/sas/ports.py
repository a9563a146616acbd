"""All host ports of a cabinet: their lines, links and desks, and what their hosts have switched off."""

import asyncio
from collections.abc import Callable, Sequence

import msgspec

from controller.configuration.cabinet_toml import Config
from controller.configuration.tickets import tickets_of
from controller.faults import ActiveFault
from controller.features.sas import notes
from controller.features.sas.configuration import HostPort, host_ports
from controller.features.sas.desk import Desk
from controller.features.sas.hosted import FilledHopper, Hosted
from controller.features.sas.observer import Observer
from controller.features.sas.state import HostState
from controller.machine.machine import Machine
from controller.machine.states import BETWEEN_GAMES, State
from drivers.clock import Clock
from drivers.sas.line import Line
from drivers.sas.link import Link

HOST_OFF, HOST_MAINTENANCE, HOST_GAMES, HOST_NOTES = "host_off", "host_maintenance", "host_games", "host_notes"
"""The fault codes for what hosts have switched off."""


class HostPorts:
    """The host ports of one cabinet; without a table in `cabinet.toml` there is none and the journal is not observed.

    `links` are the drivers to run.
    """

    def __init__(
        self, machine: Machine, clock: Clock, line: Callable[[HostPort], Line], hopper: FilledHopper | None
    ) -> None:
        self._machine = machine
        config = machine.settings.file_config
        ports = host_ports(config)
        country = notes.COUNTRIES.get(config.cabinet.money.tender.code, 0)
        self._observer = Observer(ports, country=country, validator=tickets_of(config).validated_by)
        self._games_off: frozenset[str] = frozenset()
        self._applied = HostState()
        self.desks: dict[str, Desk] = {}
        self.links: list[Link] = []
        for name, settings in ports.items():
            hosted = Hosted(
                name=name,
                settings=settings,
                parts=machine.parts,
                keys=machine.keys,
                observer=self._observer,
                clock=clock,
                clock_watch=machine.clock_watch,
                computer=machine.host,
                hopper=hopper,
            )
            desk = Desk(hosted, self._look, machine.tickets)
            if hosted.validates:
                machine.tickets.validator = desk.ticketing
            self.desks[name] = desk
            self.links.append(Link(name, settings.address, line(settings), clock, desk))
            machine.conditions.register(desk.cashless.lock.active)
        if ports:
            self._observer.on_change = self._changed
            machine.journal.journal.observer = self._observer
            machine.conditions.register(self._active)
            machine.settings.restrict = self._restricted

    async def run(self) -> None:
        """Run the locks of all hosts until cancelled."""
        await asyncio.gather(*(desk.cashless.lock.run() for desk in self.desks.values()))

    def _active(self) -> Sequence[ActiveFault]:
        """Return what hosts have switched off, as faults."""
        state, fitted = self._observer.now.state, self._machine.settings.fitted
        enabled, notes_cents = fitted.games.enabled, fitted.limits.notes_cents
        no_bills = state.bills is not None and bool(notes_cents) and not set(notes_cents) & set(state.bills)
        off = {
            HOST_OFF: state.machine_off,
            HOST_MAINTENANCE: state.maintenance,
            HOST_GAMES: bool(state.games_off) and not set(enabled) - set(state.games_off),
            HOST_NOTES: state.notes_off or no_bills,
        }
        return [ActiveFault(code, "host_port") for code, is_off in off.items() if is_off]

    def _restricted(self, config: Config) -> Config:
        """Return the configuration without the games and notes that hosts have switched off.

        A game that is being played stays until its round is over. If all games are off, they stay listed, but a fault
        stops play.
        """
        state, states = self._observer.now.state, self._machine.states
        if states.state in BETWEEN_GAMES or states.state in (State.ATTRACT, State.BOOTING):
            self._games_off = frozenset(state.games_off)
        games, limits = config.games, config.limits
        left = tuple(game for game in games.enabled if game not in self._games_off)
        games = games.offering(left) if left else games
        if state.bills is not None:
            taken = tuple(cents for cents in limits.notes_cents if cents in state.bills)
            limits = msgspec.structs.replace(limits, notes_cents=taken)
        return msgspec.structs.replace(config, games=games, limits=limits)

    def _changed(self) -> None:
        """Apply a change of the hosts' switches after the newest transaction."""
        machine, state = self._machine, self._observer.now.state
        if state == self._applied:
            return
        self._applied = state
        machine.conditions.silenced = state.sound_off
        if machine.settings.reconsider():
            machine.states.offer_again()
        else:
            self._look()

    def _look(self) -> None:
        """Update the conditions and refresh the machine's state."""
        conditions, states = self._machine.conditions, self._machine.states
        before = conditions.overlay
        conditions.update()
        if conditions.overlay is before:
            states.refresh(while_showing=True)
        else:
            states.new_turn()
