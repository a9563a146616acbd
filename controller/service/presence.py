"""Who has opened the service menu: whose key was turned, and the person behind it once one is known."""

from typing import TYPE_CHECKING

from controller.journal.actor import Actor, Role
from controller.journal.faults import clear_by_key
from controller.journal.origin import BY
from controller.machine.ports import AttendantCall
from controller.service.pin_gate import Gate

if TYPE_CHECKING:
    from controller.machine.machine import Machine


class Presence:
    """Nobody, somebody at the `gate` who has still to say who it is, or the `actor` whom the menu serves."""

    def __init__(self, machine: "Machine") -> None:
        self.key: Role | None = None
        """Whose key has opened the menu, None while it is closed."""
        self.gate: Gate | None = None
        self.actor: Actor | None = None
        self._machine = machine
        self._call: AttendantCall | None = None
        self._last: dict[Role, int] = {}
        """Who came in last with each key."""

    def __repr__(self) -> str:
        return f"<Presence {self.key} {self.name or 'nobody known'}>"

    @property
    def asks_who(self) -> bool:
        """Whether whoever has turned a key has still to prove who it is."""
        return self.gate is not None

    @property
    def name(self) -> str:
        """Who it is, or whose PIN is asked for."""
        if self.actor is not None:
            return self.actor.name
        return "" if self.gate is None else self.gate.name

    def stamp(self) -> None:
        """Have what this task records from now on say who does it."""
        BY.set(self.actor or (None if self.key is None else Actor(self.key)))

    async def come(self, key: Role, call: AttendantCall | None) -> None:
        """Take a turned key, which answers `call` where something waits for it."""
        self.key, self._call = key, call
        self.stamp()
        self.gate = Gate(self._machine, key, self._last.get(key, 0))
        if call is not None:
            self.gate.message, self.gate.figures = call.template, call.figures
        await self.gate.begin()

    async def enter(self) -> bool:
        """Let in whom the gate lets in, and record it; return whether it did."""
        actor = None if self.gate is None else self.gate.actor
        if actor is None:
            return False
        self.gate, self.actor = None, actor
        self.stamp()
        if actor.person:
            self._last[actor.role] = actor.person
        if self._call is None:
            machine = self._machine
            await machine.journal.do(lambda tx: tx.event("service_menu", f"opened by the {actor.role}"))
            if actor.role is Role.TECHNICIAN and await machine.journal.do(lambda tx: clear_by_key(tx, actor.role)):
                await machine.journal.reload()
        return True

    def answer(self) -> tuple[AttendantCall, Actor] | None:
        """Return what the key answers, once it is known who turned it; it opens no menu then."""
        return None if self._call is None or self.actor is None else (self._call, self.actor)

    def leave(self) -> None:
        """Be nobody again."""
        self.key = self.gate = self.actor = self._call = None
