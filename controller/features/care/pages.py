"""The pages that hold a player back or show the session's cost: session, reality check, loss limit, break."""

from collections.abc import Awaitable, Callable, Mapping

from controller.features.care import care
from controller.journal.transaction import Transaction
from controller.machine.states import State
from controller.machine.view import MachineParts
from drivers.clock import Clock
from ui.protocol.messages import CarePage

FRESH_S = 2.0
"""Seconds for which an unrequested page ignores presses, since a player who keeps pressing has not read it."""


class CarePages:
    """Opens and serves the pages; `collect` pays out the credit."""

    def __init__(self, machine: MachineParts, clock: Clock, collect: Callable[[], Awaitable[None]]) -> None:
        self._machine = machine
        self._clock = clock
        self._collect = collect
        self._limit_cents = 0
        """The loss limit that is being chosen, 0 for none."""
        self._fresh = False
        """Whether a reality check has only just appeared and takes no answer yet."""
        self.places: Mapping[State, Callable[[str], Awaitable[None]]] = {
            State.SESSION: self._session,
            State.REALITY_CHECK: self._check,
            State.LOSS_LIMIT: self._limit,
            State.BREAK: self._break,
        }

    @property
    def _now(self) -> care.Care:
        """The session as last read from the journal."""
        now = self._machine.play.care
        return now if isinstance(now, care.Care) else care.Care()

    @property
    def offered(self) -> bool:
        """Whether the player may open the session's page."""
        house = self._machine.settings.config.player
        return house.panel or bool(house.break_minutes) or house.loss_limit != "none"

    @property
    def keys(self) -> tuple[str, ...]:
        """The touch controls of the open page, in order; empty outside these states."""
        machine, now = self._machine, self._now
        house = machine.settings.config.player
        can_break = ("break",) if house.break_minutes else ()
        collect = ("collect",) if machine.journal.credit_cents else ()
        match machine.states.state:
            case State.SESSION:
                asks = house.loss_limit != "none" and now.kept.limit_cents is not None and now.limits(house)
                return tuple(f"session:{key}" for key in (*can_break, *(("limit",) if asks else ()), "close"))
            case State.REALITY_CHECK:
                return (*(f"check:{key}" for key in ("go_on", *can_break)), *collect)
            case State.LOSS_LIMIT:
                return ("limit:less", "limit:more", "limit:take")
            case State.BREAK:
                return collect
        return ()

    @property
    def dead(self) -> frozenset[str]:
        """The controls of the open page that do nothing now, as at the lowest or highest loss limit."""
        if self._fresh:
            return frozenset({"spin", "lines", "bet", "collect", *self.keys})
        if self._machine.states.state is not State.LOSS_LIMIT:
            return frozenset()
        limits = self._limits()
        lowest = ("limit:less", "lines") if not limits or self._limit_cents == limits[0] else ()
        highest = ("limit:more", "bet") if not limits or self._limit_cents == limits[-1] else ()
        return frozenset((*lowest, *highest))

    @property
    def page(self) -> CarePage | None:
        """The open page, None outside these states."""
        machine = self._machine
        if machine.states.state not in self.places:
            return None
        return CarePage(
            figures=machine.play.session_figures,
            keys=self.keys,
            limit_cents=self._limit_cents,
            break_minutes=machine.settings.config.player.break_minutes,
            left_minutes=self._now.break_left,
        )

    def _limits(self) -> tuple[int, ...]:
        return self._now.limits(self._machine.settings.config.player)

    async def open(self) -> None:
        """Show the session's cost."""
        await self._machine.journal.reload()
        self._machine.states.enter(State.SESSION)
        self._focus()

    async def look(self) -> None:
        """Between games, show what must come before the next stake: the break, a reality check, the loss limit."""
        machine, house, now = self._machine, self._machine.settings.config.player, self._now
        if not now.may_refuse(house):
            return
        if machine.states.state is State.BREAK and not now.break_left:
            machine.states.enter(State.IDLE)
        if machine.states.state is not State.IDLE:
            return
        if now.break_left:
            machine.states.enter(State.BREAK)
        elif now.check_due(house):
            await machine.journal.reload()
            machine.states.enter(State.REALITY_CHECK)
            await self._rest_fingers()
        elif now.limit_due(house) and machine.journal.credit_cents:
            self._ask_limit()
            await self._rest_fingers()

    async def _rest_fingers(self) -> None:
        """Ignore presses for a moment; those that arrive are dropped."""
        machine = self._machine
        self._fresh = True
        machine.states.refresh()
        await self._clock.sleep(FRESH_S)
        self._fresh = False
        machine.states.new_turn()
        self._focus()

    def _focus(self) -> None:
        """Put the panel's cursor on the page's first key, if it has one."""
        machine = self._machine
        machine.play.focus = next((key for key in self.keys if key != "collect"), "")
        machine.states.refresh()

    def _ask_limit(self) -> None:
        machine = self._machine
        limits = self._limits()
        self._limit_cents = limits[0] if limits[0] == care.NO_LIMIT else limits[-1]
        machine.states.enter(State.LOSS_LIMIT, focus="limit:take")

    async def _record(self, act: Callable[[Transaction], object]) -> None:
        await self._machine.journal.do(act)
        await self._machine.journal.reload()

    def _chosen(self, control: str) -> str:
        """Return the key chosen by a press, or an empty string if it moved the cursor."""
        machine = self._machine
        if control in ("lines", "bet"):
            machine.states.move_focus(self.keys, control)
            return ""
        return machine.play.focus if control == "spin" else control

    async def _session(self, control: str) -> None:
        machine, house = self._machine, self._machine.settings.config.player
        match "session:close" if control in ("info", "collect") else self._chosen(control):
            case "session:close":
                machine.states.enter(State.IDLE)
            case "session:break":
                await self._record(lambda tx: care.begin_break(tx, house.break_minutes))
                machine.states.enter(State.IDLE)
            case "session:limit":
                self._ask_limit()

    async def _check(self, control: str) -> None:
        """Handle the answer to a reality check, which is recorded before it takes effect."""
        machine, house = self._machine, self._machine.settings.config.player
        chosen = "collect" if control == "collect" else self._chosen(control)
        if not chosen:
            return
        answer = chosen.removeprefix("check:")
        await self._record(lambda tx: care.answer_check(tx, answer, house))
        machine.states.enter(State.IDLE)
        if answer == "collect":
            await self._collect()

    async def _limit(self, control: str) -> None:
        machine = self._machine
        limits, now = self._limits(), self._limit_cents
        match control:
            case "lines" | "limit:less":
                self._limit_cents = max((cents for cents in limits if cents < now), default=now)
            case "bet" | "limit:more":
                self._limit_cents = min((cents for cents in limits if cents > now), default=now)
            case "spin" | "limit:take":
                await self._record(lambda tx: care.set_limit(tx, now))
                machine.states.enter(State.IDLE)
            case "collect":
                machine.states.enter(State.IDLE)
                await self._collect()
        machine.states.refresh()

    async def _break(self, control: str) -> None:
        if control == "collect":
            await self._collect()
