"""The person at the service menu: the role of the turned key, and its owner once identified."""

from controller.journal.actor import BY, Actor, Role
from controller.journal.event_catalogue import Event
from controller.journal.faults import clear_by_key
from controller.machine.ports import AttendantCall
from controller.service.pin_gate import Gate
from controller.service.serviced_machine import ServicedMachine


class Presence:
    """The state of the menu's user: none, at the `gate`, or identified as `actor`."""

    def __init__(self, machine: ServicedMachine) -> None:
        self.key: Role | None = None
        """The role whose key opened the menu, None while it is closed."""
        self.gate: Gate | None = None
        self.actor: Actor | None = None
        self._machine = machine
        self._call: AttendantCall | None = None
        self._last: dict[Role, int] = {}
        """The last person who came in with each key."""

    def __repr__(self) -> str:
        return f"<Presence {self.key} {self.name or 'nobody known'}>"

    @property
    def asks_who(self) -> bool:
        """Whether the person at the key is not identified yet."""
        return self.gate is not None

    @property
    def name(self) -> str:
        """The person's name, or the name whose PIN is requested."""
        if self.actor is not None:
            return self.actor.name
        return "" if self.gate is None else self.gate.name

    def stamp(self) -> None:
        """Attribute this task's journal rows to the person."""
        BY.set(self.actor or (None if self.key is None else Actor(self.key)))

    async def come(self, key: Role, call: AttendantCall | None) -> None:
        """Handle a turned key, with the attendant call that it answers, if any."""
        self.key, self._call = key, call
        self._machine.conditions.cover_with_menu(is_open=True)
        self.stamp()
        self.gate = Gate(self._machine, key, self._last.get(key, 0))
        if call is not None:
            self.gate.message, self.gate.figures = call.template, call.figures
        await self.gate.begin()

    async def enter(self) -> bool:
        """Let in the person if the gate has identified one, and record it; return whether it did."""
        actor = None if self.gate is None else self.gate.actor
        if actor is None:
            return False
        self.gate, self.actor = None, actor
        self._machine.actor = actor
        self.stamp()
        if actor.person:
            self._last[actor.role] = actor.person
        if self._call is None:
            machine = self._machine
            await machine.journal.do(lambda tx: tx.event(Event.MENU_OPENED, who=actor.role))
            if actor.role is Role.TECHNICIAN and await machine.journal.do(lambda tx: clear_by_key(tx, actor.role)):
                await machine.journal.reload()
        return True

    def answer(self) -> tuple[AttendantCall, Actor] | None:
        """Return the call that the key answers, once the person is identified; the menu then stays closed."""
        return None if self._call is None or self.actor is None else (self._call, self.actor)

    def leave(self) -> None:
        """Reset to no user."""
        self.key = self.gate = self.actor = self._call = self._machine.actor = None
        self._machine.conditions.cover_with_menu(is_open=False)
