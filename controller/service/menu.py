"""The service menu: its inputs, and the page that it shows."""

import asyncio
from collections.abc import Mapping

from controller.journal.actor import ORIGIN, Role
from controller.journal.errors import RefusedError
from controller.journal.event_catalogue import Event
from controller.machine.ports import AttendantCall
from controller.rounds.draws import ReplayMismatchError
from controller.service import tree
from controller.service.actions import Actions
from controller.service.confirmation import press_targets
from controller.service.dialog import Dialog
from controller.service.doors import MAIN, SHUT, memory_door
from controller.service.inbox import CARD, HINTS, IDLE, LOOK, UNREAD, Inbox, Input
from controller.service.keys import KEYS, RECALL, RULES, SIX_KEYS, STEPS, keys_of_page
from controller.service.live_pages import TICK_S, Live, PageRunner
from controller.service.messages import WORDS, Message
from controller.service.navigation import Navigation
from controller.service.page import (
    ChooseLanguage,
    ChoosePerson,
    DeviceAction,
    Entry,
    Job,
    MenuTransaction,
    Page,
    RecallRound,
    Submission,
    TypeCode,
    bounded,
    rows,
)
from controller.service.pin_gate import WORDS as GATE_WORDS
from controller.service.pin_gate import Gate
from controller.service.presence import Presence
from controller.service.recall import Recall, recall
from controller.service.serviced_machine import ServicedMachine
from gamekit.catalogue import UnknownGameError
from ui.protocol.messages import Frames, ServicePage, Touch, View


class ServiceMenu:
    """The service menu of a cabinet: closed, or open for the key that is turned.

    Each change of the journal is one transaction of a `MenuTransaction`; each screen is one `ServicePage`.
    """

    def __init__(self, machine: ServicedMachine) -> None:
        self.machine = machine
        self._inbox = Inbox(machine.clock)
        self._message = Message()
        self.presence = Presence(machine)
        self._dialog = Dialog()
        self._navigation = Navigation()
        self.recall: Recall | None = None
        """The recall of a past round, if one covers the page."""
        self._runner = PageRunner()
        self._actions = Actions(
            machine,
            self._dialog,
            self._navigation,
            self._message,
            start=self._start,
            touched=self._inbox.touched,
        )
        self._shown: ServicePage | None = None

    def fit(self, runner: PageRunner) -> None:
        """Run live pages with `runner`."""
        self._runner = runner
        runner.connect(self._inbox.hint)

    def _start(self, action: DeviceAction, submission: Submission) -> None:
        self._runner.start(action, submission)

    @property
    def _test(self) -> Live | None:
        return self._runner.live

    @property
    def testing(self) -> bool:
        """Whether a device test is open: the machine then ignores buttons and the other key."""
        return self._test is not None

    @property
    def at_rest(self) -> bool:
        """Whether nothing waits to be handled."""
        return self._inbox.at_rest

    @property
    def is_open(self) -> bool:
        """Whether the menu covers the machine's screen."""
        return self.presence.key is not None

    @property
    def asks_who(self) -> bool:
        """Whether the person at the key is not identified yet."""
        return self.presence.asks_who

    @property
    def opened_by(self) -> Role | None:
        """The role whose key opened the menu, None while it is closed."""
        return self.presence.key

    @property
    def page(self) -> ServicePage | None:
        """The page to show, None while the menu is closed."""
        there = self.presence
        if there.key is None:
            return None
        test, page, code = self._test, self._navigation.page, self._navigation.code
        return self._dialog.over(
            ServicePage(
                code=code,
                figures=dict(self._message.figures if there.gate is None else there.gate.figures),
                title=tree.title(code) if page is None else page.title,
                modules=() if page is None else page.modules,
                chart=page is not None and page.chart,
                who=there.key,
                person=there.name,
                gate=there.actor is None,
                rows=rows(self._navigation.lines),
                focus=0 if self.recall is not None else self._navigation.focus,
                message=self._message.text,
                testing=test is not None,
                picture="" if test is None else test.picture,
                marks=() if test is None else test.marks,
                sound=None if test is None else test.sound,
            )
        )

    @property
    def controls(self) -> frozenset[str]:
        """The live controls: keys, rows with a link, and the pad of an open entry."""
        keys = self._keys
        live = {f"service:{key}" for key in keys.values()}
        if self._runner.keys:
            live |= keys.keys()
        if typed := self._dialog.controls:
            live |= typed
        elif self.recall is None:
            lines = enumerate(self._navigation.lines)
            live |= {f"service:row:{number}" for number, line in lines if line.leads is not None}
        return frozenset(live)

    @property
    def _keys(self) -> Mapping[str, str]:
        """The keys of the panel's buttons, by control: more than four in a recall and on long pages."""
        test, dialog, count = self._test, self._dialog, len(self._navigation.lines)
        if self.recall is not None:
            return RULES if self.recall.rules is not None else RECALL
        if test is not None and test.six_keys:
            return SIX_KEYS
        if dialog.is_open:
            return dialog.buttons or KEYS
        return keys_of_page(count, codes=self.presence.actor is not None and test is None)

    def covered(self, view: View) -> View:
        """Return the screen while the menu is open: `view` with the page, or with a game's screen over it."""
        if self.recall is not None:
            return self.recall.view(view)
        return view if self._test is None else self._test.view(view)

    def key(self, who: Role, *, turned: bool, call: AttendantCall | None = None) -> None:
        """Handle a key switch: on opens the menu, off closes it.

        With a `call`, the turn answers the call instead of opening the menu, once the person is identified.
        """
        self._inbox.put(Input(f"{'open' if turned else 'close'}:{who}", call=call))

    def press(self, control: str, origin: str = "") -> asyncio.Event:
        """Queue a press of a live control of the page currently shown; on a later page it has no effect.

        `origin` is where it comes from, empty for the cabinet. The event is set once the press is handled, or at once
        if too many are waiting.
        """
        done = asyncio.Event()
        if self._inbox.full:
            done.set()
        else:
            self._inbox.put(Input(control, self.machine.states.turn, origin, done))
        return done

    def card(self, number: str) -> None:
        """Queue a card at the reader if one is expected: with a key turned and nobody identified, or to enrol it.

        At any other time it is ignored, since a player may hold any card to the reader.
        """
        self._at_reader(Input(CARD, card=number))

    def unread(self) -> None:
        """Queue the report that the reader could not read a number."""
        self._at_reader(Input(UNREAD))

    def _at_reader(self, came: Input) -> None:
        typing = self._dialog.typing
        enrols = typing is not None and typing.entry.kind == "card"
        if (self.presence.gate is not None or enrols) and not self._inbox.full:
            self._inbox.put(came)

    async def run(self) -> None:
        """Handle keys and presses until cancelled; a failing journal locks the cabinet, which ends this too."""
        try:
            while True:
                came = await self._next()
                try:
                    await self._deal_with(came)
                finally:
                    self._inbox.handled()
                    if came.done is not None:
                        came.done.set()
        finally:
            await self._runner.end(record=False)

    async def _deal_with(self, came: Input) -> None:
        """Handle an input unless it belongs to an older page; its origin goes into the journal."""
        if came.turn not in (None, self.machine.states.turn):
            return
        ORIGIN.set(came.origin)
        self.presence.stamp()
        await self._take(came)
        answer = self.presence.answer()
        if answer is not None:
            self._left()
        await self._look()
        self._show(forced=came.control not in HINTS)
        if answer is not None:
            self.machine.keys.answer(*answer)

    async def _next(self) -> Input:
        """Return the next input; the page of an open test is read every `TICK_S`."""
        idle = self.is_open and self._runner.idle
        idle_s = self.machine.settings.config.service.idle_s if idle else None
        return await self._inbox.next(idle_s, TICK_S if self.testing else None)

    def _show(self, *, forced: bool) -> None:
        """Publish changes. If only figures have changed without an input, waiting presses stay valid."""
        before, after = self._shown, self.page
        self._shown = after
        if before is None and after is None:
            return
        if forced or before is None or after is None or press_targets(before) != press_targets(after):
            self.machine.states.new_turn()
            if self.recall is not None:
                self.recall.perform()
        elif before != after:
            self.machine.states.refresh(while_showing=True)

    def look(self) -> None:
        """Read the page again: a door, a device or a lock has changed."""
        if self.is_open:
            self._inbox.hint(LOOK)

    def touch(self, touch: Touch) -> None:
        """Pass a raw touch to the open test."""
        if self._test is not None:
            self._test.touch(touch)

    def frames(self, frames: Frames) -> None:
        """Pass the display's statistics to the open test."""
        if self._test is not None:
            self._test.frames(frames)

    async def _take(self, came: Input) -> None:
        control = came.control
        if control in HINTS or (control in self._keys and not self._runner.keys):
            return
        if control == IDLE:
            await self._close("nobody touched it")
            return
        if control in (CARD, UNREAD):
            await self._presented(came)
            return
        kind, _, what = control.partition(":")
        if kind == "open" and not self.is_open:
            await self._open(Role(what), came.call)
        elif kind == "close" and what == self.opened_by:
            await self._close("the key was turned back")
        elif self.is_open and kind not in ("open", "close"):
            await self._pressed(self._keys.get(control, what))

    async def _open(self, who: Role, call: AttendantCall | None) -> None:
        self._navigation.start()
        self._runner.fresh()
        await self.presence.come(who, call)
        await self._pass()

    async def _pass(self) -> None:
        """Let in the person once identified, or open the next entry of the gate."""
        gate = self.presence.gate
        self._dialog.forget()
        if gate is not None:
            self._message.text = gate.message
            if not await self.presence.enter():
                self._enter_gate(gate)
            elif (
                self.presence.answer() is None
                and self.opened_by is Role.TECHNICIAN
                and (code := await self.machine.journal.do(self.machine.set_up.page))
            ):
                self._navigation.enter(code)

    def _enter_gate(self, gate: Gate) -> None:
        """Show what the gate asks for."""
        self._message.text = gate.message
        self._navigation.start(gate.focus)
        if gate.entry is not None:
            self._dialog.ask_for(gate.entry)

    async def _presented(self, came: Input) -> None:
        """Handle a card at the reader: at the gate, or for the entry that waits for it."""
        typing, gate = self._dialog.typing, self.presence.gate
        if gate is not None:
            if await gate.presented(came.card):
                await self._pass()
        elif typing is not None and typing.entry.kind == "card":
            if came.control == UNREAD:
                self._message.text = GATE_WORDS["unread"]
            else:
                await self._entered(typing.entry, came.card)

    async def _close(self, why: str) -> None:
        who = self.opened_by
        await self._runner.end()
        if self.presence.actor is not None:
            await self.machine.journal.do(lambda tx: tx.event(Event.MENU_CLOSED, why=why, who=who))
        # Nothing is awaited from here to the new turn, so that no press meant for the menu reaches the game.
        self._left()

    def _left(self) -> None:
        """Reset everything to the closed state."""
        self.presence.leave()
        self._dialog.forget()
        self._navigation.close()
        self.recall = None

    async def _pressed(self, key: str) -> None:
        if self._dialog.typing is not None:
            await self._type(self._dialog.typing.entry, key)
        elif self._dialog.is_confirming:
            await self._actions.answer(key, self.presence.actor)
        else:
            await self._navigate(key)

    async def _navigate(self, key: str) -> None:
        self._message.text = ""
        if self.recall is not None:
            is_left = key == "back" and self.recall.rules is None
            self.recall.press(key)
            self.recall = None if is_left else self.recall
        elif self._test is not None and self._test.key(key):
            return
        elif key == "back":
            if not self._navigation.back():
                await self._close("left")
        elif key == "code":
            self._ask_code()
        elif key in STEPS:
            self._navigation.move(key)
        elif key == "enter":
            await self._follow(self._navigation.select(self._navigation.focus))
        elif key.startswith("row:"):
            await self._follow(self._navigation.select(int(key.removeprefix("row:"))))

    async def _follow(self, leads: object) -> None:
        """Follow a row's link: to a page, to the recall of a round, or to an action."""
        if isinstance(leads, Page):
            self._navigation.open(leads)
        elif isinstance(leads, str):
            self._navigation.enter(leads)
        elif isinstance(leads, RecallRound):
            await self._show_again(leads.round)
        elif isinstance(leads, ChoosePerson) and self.presence.gate is not None:
            await self.presence.gate.choose(leads.person)
            await self._pass()
        elif isinstance(leads, ChooseLanguage) and self.presence.gate is not None:
            await self._speak(self.presence.gate, leads.language)
        elif isinstance(leads, TypeCode):
            self._ask_code()
        elif isinstance(leads, MenuTransaction | Job | DeviceAction):
            self._dialog.action = leads
            await self._actions.go_on(self.presence.actor)

    async def _speak(self, gate: Gate, language: str) -> None:
        """Set the language of a new cabinet, or show why it is refused, as when `cabinet.toml` contradicts it."""
        try:
            await gate.speak(language)
        except RefusedError as error:
            self._message.refuse(error)
        else:
            await self._pass()

    def _ask_code(self) -> None:
        """Open the entry of a page's code."""
        if self.opened_by is not None:
            codes = tree.codes(self.opened_by, self.machine.settings.config.service)
            self._dialog.ask_for(Entry("code", WORDS["code"], "code", codes))

    async def _show_again(self, number: int) -> None:
        """Show the recall of a past round, or a message if it cannot be shown."""
        try:
            self.recall = await recall(self.machine, number)
        except (ReplayMismatchError, UnknownGameError):
            self._message.text = WORDS["unlike"]

    def shown(self, number: int) -> None:
        """Take the display's report that the shows up to `number` have ended."""
        if self.recall is not None and self.recall.shown(number):
            self.machine.states.refresh()

    async def _type(self, entry: Entry, key: str) -> None:
        try:
            whole = self._dialog.type(key)
        except RefusedError as error:
            self._message.refuse(error)
        except LookupError:
            await self._leave_entry()
        else:
            if whole is not None:
                await self._entered(entry, whole)

    async def _entered(self, entry: Entry, typed: str) -> None:
        """Handle a complete entry: of the gate, of an action, or a page's code."""
        self._dialog.typing, self._message.text, gate = None, "", self.presence.gate
        if gate is not None:
            await gate.entered(entry, typed)
            await self._pass()
        elif entry.kind == "code":
            self._navigation.jump(typed)
        else:
            self._dialog.typed[entry.name] = typed
            await self._actions.go_on(self.presence.actor)

    async def _leave_entry(self) -> None:
        """Leave an open entry; at the gate this leads to the choice of a name, or closes the menu."""
        self._dialog.forget()
        gate = self.presence.gate
        if gate is not None and gate.back():
            await self._close("left")
        elif gate is not None:
            await self._pass()

    async def _look(self) -> None:
        """Read the page again; leave one that is no longer allowed, as when the door was shut."""
        who, gate, machine = self.opened_by, self.presence.gate, self.machine
        if who is None:
            return
        if gate is not None:
            if gate.look():
                self._enter_gate(gate)
            self._navigation.lines = bounded(gate.lines)
            return
        if self.recall is not None:
            self._navigation.lines = bounded(self.recall.lines)
            return
        page = self._navigation.page
        door = self._door_of(page)
        if door and not machine.conditions.doors.get(door):
            await self._leave(SHUT[door])
            return
        opened = await self._runner.open(None if machine.journal.lock is not None else page)
        message, self._runner.message = self._runner.message, ""
        self._message.refusal, self._runner.refusal = self._runner.refusal or self._message.refusal, None
        if not opened:
            await self._leave(message)
            return
        self._message.text = message or self._message.text
        test = self._test
        if test is not None:
            self._navigation.show(bounded(test.lines()))
        elif page is None:
            self._navigation.show(tree.lines_to(self._navigation.code, who, machine.settings.config.service))
        else:
            self._navigation.show(bounded(await machine.journal.do(lambda tx: page.read(tx, machine))))

    def _door_of(self, page: Page | None) -> str:
        """Return the door that must be open for a page, empty for none."""
        if page is None or not (page.door or page.memory):
            return ""
        return memory_door(self.machine) if page.memory else MAIN

    async def _leave(self, why: str) -> None:
        """Leave a page and show the reason."""
        self._dialog.forget()
        self._navigation.back()
        self._message.text = why
        await self._look()
