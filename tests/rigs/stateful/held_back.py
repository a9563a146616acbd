"""Any way of playing where the house holds players back: limits, checks, breaks, cash-outs and power cuts."""

import asyncio
import random
import shutil
import tempfile
from collections.abc import Callable, Coroutine
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from controller.books.audit import audit
from controller.features.care.care import LIMITS_CENTS, Care, read_care
from gamekit.play import Draw
from tests.rigs.fair_house import house
from tests.rigs.machine import PlainHopper, Rig
from tests.rigs.virtual_time import VirtualTimeLoop

CHECK_MINUTES, REST_MINUTES, BREAK_MINUTES, LEAST_S = 5, 1, 3, 2.5
AWAY = {"service", "sound", "home", "menu", "info", "history", "settings", "paytable"}
"""Controls that lead away from play, and back to where it was."""


class HeldBack(RuleBasedStateMachine):
    """One machine with Neptune; what must hold is asked of the journal after every stake and every act."""

    @initialize(seed=st.integers(0, 1000), asked=st.sampled_from(("asked", "required")))
    def switch_on(self, seed: int, asked: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="held"))
        self.runner = asyncio.Runner(loop_factory=VirtualTimeLoop)
        self.seed = seed
        self.allowed_cents = 0
        config = house(
            self.folder,
            games={"least_ms": int(LEAST_S * 1000)},
            panel=True,
            reality_check_minutes=CHECK_MINUTES,
            rest_minutes=REST_MINUTES,
            break_minutes=BREAK_MINUTES,
            loss_limit=asked,
        )
        self.rig = Rig(self.folder, config=config, draws=self.draws, hopper=PlainHopper())
        self.run(self.rig.start())
        self.run(self.sit_down())

    async def sit_down(self) -> None:
        """A player puts 50.00 in and wants to lose 5.00 at most."""
        await self.rig.note(5000)
        await self.rig.until("loss_limit")
        await asyncio.sleep(3.0)
        for _ in LIMITS_CENTS:
            await self.rig.press("limit:less")
        if self.rig.screen.view.pages.care is not None and not self.rig.screen.view.pages.care.limit_cents:
            await self.rig.press("limit:more")
        await self.rig.press("limit:take")
        await self.rig.until("idle")
        self.allowed_cents = LIMITS_CENTS[0]

    def draws(self, number: int, segment: int) -> Draw:
        """Seeded draws."""
        rest = random.Random(f"{self.seed}/{number}/{segment}")
        return rest.randrange

    def run(self, act: Coroutine[object, object, None]) -> None:
        """Run `act` on the virtual clock."""
        self.runner.run(act)

    def care(self) -> Care:
        """Return the session as the journal has it."""

        async def read() -> Care:
            return await self.rig.journal.do(read_care)

        return self.runner.run(read())

    @rule(times=st.integers(1, 4))
    def play(self, times: int) -> None:
        """Press SPIN, in the lobby and on pages as well, and let the round end."""
        for _ in range(times):
            self.look(lambda: self.rig.press("spin", 4.0))

    @rule(control=st.sampled_from(("auto", "collect", "session")))
    def press(self, control: str) -> None:
        """Press a button, live or not, and let some time pass."""
        self.look(lambda: self.rig.press(control, 1.0))

    @rule(data=st.data())
    def press_what_lives(self, data: st.DataObject) -> None:
        """Press something that lives, pages' keys among it."""
        live = sorted(self.rig.machine.states.controls - AWAY)
        if live:
            control = data.draw(st.sampled_from(live))
            self.look(lambda: self.rig.press(control, 0.5))

    @rule(cents=st.sampled_from((500, 1000, 5000)))
    def put_in(self, cents: int) -> None:
        """A note, which a break returns."""

        async def note() -> None:
            on_break = (await self.rig.journal.do(read_care)).break_left
            assert not (await self.rig.note(cents) and on_break)

        self.look(note)

    @rule(minutes=st.sampled_from((1.1, 6.0)))
    def wait(self, minutes: float) -> None:
        """Let time pass."""
        self.look(lambda: self.rig.machine.clock.sleep(minutes * 60))

    @rule(seconds=st.floats(0, 3))
    def cut(self, seconds: float) -> None:
        """Cut the power in the middle of whatever goes on."""

        async def kill() -> None:
            await asyncio.sleep(seconds)
            self.rig.wall_ms += 10_000_000
            await self.rig.restart()
            await asyncio.sleep(0.2)

        self.look(kill)

    def look(self, act: Callable[[], Coroutine[object, object, None]]) -> None:
        """Do `act`; nothing that was staked meanwhile may have been held back."""
        before = self.care()
        credit = self.rig.credit - before.figures.in_cents + before.figures.out_cents - before.net_cents
        self.run(act())
        now = self.care()
        if now.kept.limit_cents != before.kept.limit_cents:  # one that is lowered may have been passed already
            self.allowed_cents = max(now.kept.limit_cents or 0, -now.net_cents)
        if now.kept.active and now.kept.limit_cents:
            assert -now.net_cents <= self.allowed_cents
        if before.kept.active and now.kept == before.kept:
            after = self.rig.credit - now.figures.in_cents + now.figures.out_cents - now.net_cents
            assert after == credit, "the credit changes by in - out + net"
            staked = now.meters.get("stakes", 0) - before.meters.get("stakes", 0)
            on_break = before.break_left and now.break_left
            if before.kept.limit_cents is None or before.check_due(self.rig.config.player) or on_break:
                assert not staked

    def teardown(self) -> None:
        """Nothing is locked up, and the books balance."""
        if not hasattr(self, "rig"):
            return
        try:
            assert self.rig.machine.journal.lock is None, str(self.rig.machine.journal.lock)
        finally:
            self.runner.run(self.rig.kill())
            self.runner.close()
        proof = audit(self.folder / "journal.sqlite", lambda _what, _done, _total: None)
        assert proof.failures == []
        assert proof.replayed == proof.rounds
        shutil.rmtree(self.folder)
