"""The open service menu: where its reader stands, what is typed and asked, and what is done."""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from controller.journal.errors import RefusedError
from controller.machine.standing import clear_by_key
from controller.machine.where import WHERE
from controller.play.draws import ReplayMismatchError
from controller.service import pin_gate, tree
from controller.service.asked import Asked, asked_of, ways
from controller.service.keys import FRESH, KEYS, LONG_PAGE, RECALL, RULES, SIX_KEYS, STEPS, first_of, is_long, moved
from controller.service.leaf import MOST_LINES, Act, Again, Deed, Drive, Entry, Leaf, Line, Who, Work, rows
from controller.service.recall import Recall, recall
from controller.service.testing.bench import Bench
from controller.service.testing.stand import TICK_S, Stand
from controller.service.typing import Typing
from games.catalogue import UnknownGameError
from ui.messages import Frames, ServicePage, Touch, View

if TYPE_CHECKING:
    from controller.machine.machine import Machine

_MAIN = "main"
_MOST_PRESSES = 32
"""How many presses may wait while the menu is at work."""
_LOOK, _TOUCHED, _IDLE = "look", "touched", "idle"
"""What comes of no key: something may have changed, somebody is at it, nobody was for too long."""

WORDS = {
    "nothing": "Nothing was changed",
    "door": "Open the main door first",
    "works": "One moment, please",
    "again": "It is asked twice: answer once more",
    "unlike": "This round replays otherwise than it was played: it cannot be shown",
}
"""What the menu itself tells."""


class _Input(NamedTuple):
    """A control or a hint, the turn of the page that it was meant for, from where it came, and its being dealt with."""

    control: str
    turn: int | None = None
    where: str = ""
    done: asyncio.Event | None = None


class ServiceMenu:
    """The menu of one cabinet: closed, or open for whoever's key is turned.

    Everything it does to the books is one transaction of an `Act`; everything it tells is a `ServicePage`.
    """

    def __init__(self, machine: "Machine") -> None:
        self._machine = machine
        self._inbox: asyncio.Queue[_Input] = asyncio.Queue()
        self.stale_presses = 0
        self._refusal: RefusedError | None = None
        self._who: Who | None = None
        self._granted = False
        self._path: list[tuple[str, int]] = []
        self._found: dict[str, Leaf] = {}
        self._lines: tuple[Line, ...] = ()
        self._typing: Typing | None = None
        self._typed: dict[str, str] = {}
        self._act: Act | Work | Drive | None = None
        self._asked = 0
        self._yes = False
        self._message = ""
        self.recall: Recall | None = None
        """The past round that lies over the page, if one is shown again."""
        self._stand = Stand(machine)
        self._hints: set[str] = set()
        self._shown: ServicePage | None = None
        self._touched_at = 0.0

    def fit(self, bench: Bench) -> None:
        """Take the drivers that the tests work with."""
        self._stand.bench = bench
        bench.connect(self._hint)

    @property
    def testing(self) -> bool:
        """Whether a test is open: keys and buttons mean nothing to the machine then, but the key of whoever tests."""
        return self._stand.trial is not None

    @property
    def temperature_c(self) -> float | None:
        """How warm the computer is, None where nobody can say."""
        bench = self._stand.bench
        return None if bench is None else bench.thermometer()

    @property
    def is_open(self) -> bool:
        """Whether it lies over the machine."""
        return self._who is not None

    @property
    def page(self) -> ServicePage | None:
        """What is to be shown, None while it is closed."""
        if self._who is None:
            return None
        code, focus = self._path[-1]
        typing, trial, asked = (
            self._typing,
            self._stand.trial,
            asked_of(self._act, self._typed) if self._asked else Asked(),
        )
        return ServicePage(
            code=code,
            figures=self._figures,
            title=tree.title(code) if (leaf := self._leaf(code)) is None else leaf.title,
            modules=() if leaf is None else leaf.modules,
            chart=leaf is not None and leaf.chart,
            who=self._who,
            rows=rows(self._lines),
            focus=0 if self.recall is not None else focus,
            entry="" if typing is None else typing.entry.label,
            entry_kind=asked.kind if typing is None else typing.entry.kind,
            unit=asked.unit if typing is None else typing.entry.unit,
            options=() if typing is None else tuple(typing.options),
            limits=None if typing is None else typing.entry.limits,
            typed=asked.typed if typing is None else typing.shown,
            digit=0 if typing is None else typing.digit,
            question=self._act.question if self._act is not None and self._asked else "",
            yes=self._yes,
            message=self._message,
            testing=trial is not None,
            picture="" if trial is None else trial.picture,
            marks=() if trial is None else trial.marks,
            sound=None if trial is None else trial.sound,
        )

    @property
    def _figures(self) -> dict[str, str | int]:
        """The figures of the message, where a refusal is told."""
        refused = self._refusal
        return dict(refused.figures) if refused is not None and refused.template == self._message else {}

    def _leaf(self, code: str) -> Leaf | None:
        return self._found.get(code) or tree.LEAVES.get(code)

    @property
    def controls(self) -> frozenset[str]:
        """What lives: the four keys, the rows that lead somewhere, and a pad while digits are typed."""
        keys = self._keys
        live = {f"service:{key}" for key in keys.values()}
        if self._stand.keys:
            live |= keys.keys()
        if self._typing is not None:
            live |= self._typing.controls
        elif self._asked:
            live |= {"service:no", "service:yes"}
        elif self.recall is None:
            live |= {f"service:row:{number}" for number, line in enumerate(self._lines) if line.leads is not None}
        return frozenset(live)

    @property
    def _keys(self) -> Mapping[str, str]:
        """What the panel's buttons are now, by name: more than the four in a recall and on a long page."""
        trial = self._stand.trial
        if self.recall is not None:
            return RULES if self.recall.rules is not None else RECALL
        if trial is not None and trial.six_keys:
            return SIX_KEYS
        reads = self._typing is None and not self._asked
        return LONG_PAGE if reads and is_long(len(self._lines)) else KEYS

    def covered(self, view: View) -> View:
        """Return what the screen shows while the menu is open: `view` with its page, or a game's screen over it."""
        if self.recall is not None:
            return self.recall.view(view)
        return view if self._stand.trial is None else self._stand.trial.view(view)

    def key(self, who: Who, *, turned: bool) -> None:
        """Take a key switch: turned on it opens the menu, off it closes it, whatever stood there."""
        self._inbox.put_nowait(_Input(f"{'open' if turned else 'close'}:{who}"))

    def press(self, control: str, where: str = "") -> asyncio.Event:
        """Take a press of a live control of the page that is shown now; on any later page it does nothing.

        `where` is from where it comes, if not from the cabinet. The event is set once it has been dealt with, at once
        where too many wait already.
        """
        done = asyncio.Event()
        if self._inbox.qsize() >= _MOST_PRESSES:
            self.stale_presses += 1
            done.set()
            return done
        self._inbox.put_nowait(_Input(control, self._machine.turn, where, done))
        return done

    async def run(self) -> None:
        """Serve keys and presses until cancelled; a failing journal locks the cabinet, which ends this too."""
        try:
            while True:
                came = await self._next()
                try:
                    await self._deal_with(came)
                finally:
                    if came.done is not None:
                        came.done.set()
        finally:
            await self._stand.end(record=False)

    async def _deal_with(self, came: "_Input") -> None:
        """Take what came, unless it was meant for an older page; the books learn from where it did."""
        if came.turn not in (None, self._machine.turn):
            self.stale_presses += 1
            return
        WHERE.set(came.where)
        await self._take(came.control)
        await self._look()
        self._show(asked=came.control not in (_LOOK, _TOUCHED))

    async def _next(self) -> "_Input":
        """Return the next control with its turn, or what there is to do without one."""
        seconds = self._idle_s
        if self.testing:
            seconds = TICK_S if seconds is None else min(seconds, TICK_S)
        try:
            async with asyncio.timeout(seconds):
                came = await self._inbox.get()
        except TimeoutError:
            left = self._idle_s
            return _Input(_LOOK if left is None or left > 0 else _IDLE)
        self._hints.discard(came.control)
        if came.control != _LOOK:
            self._touched_at = self._machine.clock.now()
        return came

    @property
    def _idle_s(self) -> float | None:
        """How long it still stays open by itself; None for ever."""
        if not (self.is_open and self._stand.idle):
            return None
        return max(0.0, self._touched_at + self._machine.cabinet.service.idle_s - self._machine.clock.now())

    def _show(self, *, asked: bool) -> None:
        """Show what has changed; presses on their way live on where only figures did, without anybody's key."""
        before, after = self._shown, self.page
        self._shown = after
        if before is None and after is None:
            return
        if asked or before is None or after is None or ways(before) != ways(after):
            self._machine.new_turn()
            if self.recall is not None:
                self.recall.perform()
        elif before != after:
            self._machine.refresh(while_showing=True)

    def look(self) -> None:
        """Something that a page hangs on has changed: a door, a device, a lock."""
        if self.is_open:
            self._hint(_LOOK)

    def touch(self, touch: Touch) -> None:
        """Take a raw touch, for the test that is open."""
        if self._stand.trial is not None:
            self._stand.trial.touch(touch)

    def frames(self, frames: Frames) -> None:
        """Take the display's statistics, for the test that is open."""
        if self._stand.trial is not None:
            self._stand.trial.frames(frames)

    def _hint(self, what: str) -> None:
        if what not in self._hints:
            self._hints.add(what)
            self._inbox.put_nowait(_Input(what))

    async def _take(self, control: str) -> None:
        if control in (_LOOK, _TOUCHED) or (control in self._keys and not self._stand.keys):
            return
        if control == _IDLE:
            await self._close("nobody touched it")
            return
        kind, _, what = control.partition(":")
        if kind == "open" and self._who is None:
            await self._open(Who(what))
        elif kind == "close" and what == self._who:
            await self._close("the key was turned back")
        elif self._who is not None and kind not in ("open", "close"):
            await self._pressed(self._keys.get(control, what))

    async def _open(self, who: Who) -> None:
        self._who, self._path, self._message = who, [("", 0)], ""
        self._granted = who is Who.ATTENDANT
        self._stand.fresh()
        await self._machine.do(lambda tx: tx.event("service_menu", f"opened by the {who}"))
        if not self._granted:
            self._typing = Typing(await pin_gate.first_entry(self._machine))

    async def _close(self, why: str) -> None:
        who = self._who
        await self._stand.end()
        await self._machine.do(lambda tx: tx.event("service_menu", f"closed, {why} ({who})"))
        # From here to the new turn nothing is awaited, so that no press meant for the menu reaches the game.
        self._who = None
        self._forget()
        self._granted, self._path, self._lines, self._found = False, [], (), {}
        self.recall = None

    def _forget(self) -> None:
        """Leave whatever was being typed or asked."""
        self._typing, self._typed, self._act, self._asked, self._yes = None, {}, None, 0, False

    async def _pressed(self, key: str) -> None:
        if self._typing is not None:
            await self._type(self._typing, key)
        elif self._asked:
            await self._answer(key)
        else:
            await self._navigate(key)

    async def _navigate(self, key: str) -> None:
        code, focus = self._path[-1]
        self._message = ""
        if self.recall is not None:
            self._recalled(self.recall, key)
            return
        if self._stand.trial is not None and self._stand.trial.key(key):
            return
        if key == "back" and len(self._path) > 1:
            self._path.pop()
        elif key == "back":
            await self._close("left")
        elif key in STEPS:
            self._path[-1] = (code, moved(focus, key, len(self._lines)))
        elif key == "enter" or key.startswith("row:"):
            focus = focus if key == "enter" else int(key.removeprefix("row:"))
            self._path[-1] = (code, focus)
            leads = self._lines[focus].leads if focus < len(self._lines) else None
            await self._follow(leads)

    async def _follow(self, leads: object) -> None:
        """Go where a row leads: to a page, to a past round on the reels, or to an act."""
        if isinstance(leads, Leaf):
            self._open_found(leads)
        elif isinstance(leads, str):
            self._found.pop(leads, None)
            self._path.append((leads, FRESH))
        elif isinstance(leads, Again):
            await self._show_again(leads.round)
        elif isinstance(leads, Act | Work | Drive):
            self._act = leads
            await self._go_on()

    async def _show_again(self, number: int) -> None:
        """Lay a past round over the page, or tell that it cannot be shown."""
        try:
            self.recall = await recall(self._machine, number)
        except (ReplayMismatchError, UnknownGameError):
            self._message = WORDS["unlike"]

    def _recalled(self, shown: Recall, key: str) -> None:
        """Take a key of the round that is shown again."""
        leaves = key == "back" and shown.rules is None
        shown.press(key)
        self.recall = None if leaves else shown

    def shown(self, number: int) -> None:
        """Take the display's word that shows up to `number` are over."""
        if self.recall is not None and self.recall.shown(number):
            self._machine.refresh()

    async def _type(self, typing: Typing, key: str) -> None:
        if key in ("up", "down"):
            typing.step(up=key == "up")
        elif key == "back":
            if typing.back():
                self._forget()
                if not self._granted:
                    await self._close("left")
        elif f"service:{key}" in typing.controls | {"service:enter"}:
            try:
                whole = typing.take(key)
            except RefusedError as error:
                self._message, self._refusal = error.template, error
                return
            if whole is not None:
                self._typing, self._message = None, ""
                self._typed[typing.entry.name] = whole
                await (self._go_on() if self._granted else self._prove_pin(typing.entry))

    async def _prove_pin(self, entry: Entry) -> None:
        """Let the technician in, or have typed what is still missing."""
        typed = self._typed
        came = await pin_gate.entered(self._machine, entry, typed)
        self._message, self._granted = came.message, came.entry is None
        self._forget()
        if came.entry is not None:
            self._typing = Typing(came.entry)
            self._typed = {} if came.message else typed
        elif await self._machine.do(lambda tx: clear_by_key(tx, Who.TECHNICIAN)):
            await self._machine.reload()

    async def _answer(self, key: str) -> None:
        """Take the answer to a question; NO, and leaving it, leaves everything as it is."""
        act = self._act
        if key in ("no", "yes"):
            self._yes = key == "yes"
        if key in ("up", "down"):
            self._yes = not self._yes
        elif key == "back" or not self._yes:
            self._forget()
            self._message = WORDS["nothing"]
        elif act is not None:
            self._yes = False
            if self._asked < act.asks:
                self._asked += 1
                self._message = WORDS["again"]
            else:
                await self._finish(act)

    async def _go_on(self) -> None:
        """Type what is still to be typed for the act, then ask, then do it."""
        act = self._act
        if act is None:
            return
        left = [entry for entry in act.entries if entry.name not in self._typed]
        if left:
            self._typing = Typing(left[0])
        elif act.asks:
            self._asked = 1
        else:
            await self._finish(act)

    async def _finish(self, act: Act | Work | Drive) -> None:
        who, typed, self._message = self._who, dict(self._typed), ""
        self._forget()
        if who is None:
            return
        if isinstance(act, Drive):
            self._stand.drive(act, Deed(who, typed))
            return
        try:
            if isinstance(act, Work):
                self._message = await self._worked(act, Deed(who, typed))
            else:
                self._message = await self._machine.attempt(lambda tx: act.do(tx, Deed(who, typed)))
        except RefusedError as error:
            self._message, self._refusal = error.template, error
        await self._machine.reload()

    async def _worked(self, work: Work, deed: Deed) -> str:
        """Tell that it works, wait for its end, and return what to tell; open the page that it made, if it made one."""
        self._message = WORDS["works"]
        self._machine.refresh()
        made = await work.run(self._machine, deed)
        self._touched_at = self._machine.clock.now()
        if isinstance(made, str):
            return made
        self._open_found(made)
        return ""

    def _open_found(self, leaf: Leaf) -> None:
        """Open a page of its own; another page of the same list takes its place."""
        self._found[leaf.code] = leaf
        if leaf.code == self._path[-1][0]:
            self._path.pop()
        self._path.append((leaf.code, FRESH))

    async def _look(self) -> None:
        """Read the page anew; leave one that may no longer be open, as when the door was shut."""
        if self._who is None:
            return
        if not self._granted:
            self._lines = ()
            return
        if self.recall is not None:
            self._lines = tuple(self.recall.lines)
            return
        who, machine = self._who, self._machine
        code, focus = self._path[-1]
        leaf = self._leaf(code)
        if leaf is not None and leaf.door and not machine.doors.get(_MAIN):
            await self._leave(WORDS["door"])
            return
        opened = await self._stand.open(None if machine.lock is not None else leaf)
        message, self._stand.message = self._stand.message, ""
        self._refusal = self._stand.refusal or self._refusal
        self._stand.refusal = None
        if not opened:
            await self._leave(message)
            return
        self._message = message or self._message
        trial = self._stand.trial
        if trial is not None:
            self._lines = tuple(trial.lines())[:MOST_LINES]
        elif leaf is None:
            self._lines = tuple(tree.lines_to(code, who))
        else:
            self._lines = tuple(await self._machine.do(lambda tx: leaf.read(tx, machine)))[:MOST_LINES]
        self._path[-1] = (code, first_of(self._lines) if focus == FRESH else max(0, min(focus, len(self._lines) - 1)))

    async def _leave(self, why: str) -> None:
        """Leave a page that may not be open, and tell why."""
        self._forget()
        self._path.pop()
        self._message = why
        await self._look()
