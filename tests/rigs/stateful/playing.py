"""Any way of playing all games."""

import asyncio
import random
import shutil
import tempfile
from collections.abc import Coroutine
from itertools import chain, repeat
from pathlib import Path

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from controller.books.audit import audit
from controller.faults import (
    CURRENCY_CHANGED,
    DOOR_CLOSED,
    DOOR_OPEN,
    KEY_TURNED,
    LARGE_WIN,
    NO_PIN,
    SERVES,
    SETTING_UNFIT,
    Clears,
    Stops,
    explain,
    known_faults,
)
from controller.machine.states import BETWEEN_GAMES, State
from controller.machine.view import OPEN_ITEM
from controller.session import betting
from controller.system.watchdog import PLAYER
from drivers.wiring import DOORS, KEYS
from gamekit.catalogue import names
from gamekit.play import Draw
from games.mona_lisa_jewels.pays import JACKPOT
from games.neptune.pays import TREASURE
from games.star_quarry.pays import SCATTER
from games.star_quarry.strips import REELS as QUARRY_REELS
from games.witch_feature.play import PAID_REELS
from tests.games import bewitched_table, elves_table, table, witch_table
from tests.games.mona_lisa_table import BEHIND, middle, palettes, trigger
from tests.rigs.machine import PlainHopper, Rig
from tests.rigs.views import changed
from tests.rigs.virtual_cabinet import only
from tests.rigs.virtual_time import VirtualTimeLoop
from ui.protocol.messages import View
from ui.protocol.values import Bet


def potions(*wanted: str) -> tuple[int, ...]:
    """Return stops of Witch Feature that show one of these potions on each of reels 2 to 4."""
    stops = [0] * len(PAID_REELS.strips)
    for reel, potion in enumerate(wanted, 1):
        for stop in range(PAID_REELS.lengths[reel]):
            stops[reel] = stop
            if any((reel, potion) == (at, shown) for at, _, shown in PAID_REELS.landed(tuple(stops))):
                break
    return tuple(stops)


def quarry_beacons(count: int) -> tuple[int, ...]:
    """Return Star Quarry's stops that show a Beacon in the top row of so many reels, and stop 0 on the others."""
    return tuple(strip.index(SCATTER) if reel < count else 0 for reel, strip in enumerate(QUARRY_REELS.strips))


OPENINGS: dict[str, tuple[tuple[int, ...], ...]] = {
    "neptune": (table.mermaids(3), table.middle_row(*[TREASURE] * 5), table.middle_row(*[TREASURE] * 3, "ten", "ace")),
    "bewitched": (
        bewitched_table.MOONS,
        bewitched_table.MOONS_AND_MERLINS,
        (*bewitched_table.MOONS_AND_WITCHES, bewitched_table.WON),
    ),
    "witch_feature": (
        witch_table.TRIGGER,
        potions(witch_table.R, witch_table.B, witch_table.G),
        witch_table.losing(PAID_REELS, {1: witch_table.R, 3: witch_table.B}),
    ),
    "mystery_elves": (elves_table.SIX, elves_table.middle_row(*["gold_elf"] * 5), elves_table.middle_row(*["ten"] * 5)),
    "star_quarry": (quarry_beacons(3), quarry_beacons(0)),
    "mona_lisa_jewels": (middle(*[JACKPOT] * 5), palettes(3), (trigger("queen"), *BEHIND)),
}
"""Stops that bring each game's features, and wins that can be doubled."""


LEAVE = {
    State.ATTRACT: "screen",
    State.COMPANION: "home",
    State.PAYTABLE: "collect",
    State.MENU: "collect",
    State.AUTOSPIN: "collect",
    State.SETTINGS: "collect",
    State.HISTORY: "collect",
    State.REPLAY: "collect",
    State.CONFIRM: "collect",
    State.LOWEST_BET: "collect",
    State.IDLE: "home",
    State.ROUND: "spin",
    State.OFFER: "spin",
    State.GAMBLE_OFFER: "collect",
    State.GAMBLE: "collect",
}
"""What leads on towards the lobby from each state."""


UNPAID = (
    "SELECT p.game, p.coin_value_cents, p.growth_millicents"
    " - (SELECT coalesce(sum(c.millicents), 0) FROM contributions c JOIN rounds r ON r.id = c.round_id"
    "    WHERE c.reversed = 0 AND (r.game, r.coin_value_cents) = (p.game, p.coin_value_cents))"
    " + (SELECT coalesce(sum(c.taken_millicents), 0) FROM claims c JOIN rounds r ON r.id = c.round_id"
    "    WHERE c.reversed = 0 AND (r.game, r.coin_value_cents) = (p.game, p.coin_value_cents)) FROM pools p"
)
"""What each pool holds beyond what was paid in less what was taken: nothing."""


NUMBERS = st.integers(0, 1000)


LARGE_WIN_CENTS = 3_000
"""Low enough for lines and features to reach it now and then."""


FOUND_AT_A_START = {NO_PIN, SETTING_UNFIT, CURRENCY_CHANGED}
"""What a start finds anew or not (P5): no device reports it."""


REPORTED = sorted(
    known_faults().keys() - {DOOR_OPEN, DOOR_CLOSED, KEY_TURNED, LARGE_WIN, *OPEN_ITEM.values(), *FOUND_AT_A_START}
)
"""What a device, or the machine itself, may report at any moment."""


MOVING = frozenset({State.BOOTING, State.RECOVERING, State.ROUND, State.REPLAY, State.COLLECTING})
"""Where the view changes by itself."""


def still(view: View) -> View:
    """Return a view without what may change behind an overlay: notices, and what a tile is still to learn."""
    return changed(view, notices=(), jackpots={}, jackpot_cents=0, bet_ranges={})


BEGUN = (
    "SELECT (SELECT count(*) FROM rounds), (SELECT count(*) FROM payouts),"
    " (SELECT coalesce(sum(value), 0) FROM meters WHERE name IN ('coins_out', 'games'))"
)
"""How many rounds and payouts were ever begun, and what has left the hopper."""


ANY_CONTROL = (
    *("spin", "max_bet", "bet", "lines", "auto", "info", "collect", "service"),
    *("screen", "home", "menu", "history", "settings", "paytable", "turbo", "session", "coin_value", "sound"),
    *("auto:start", "buy", "buy:yes", "choice:0", "choice:1", "lowest_bet:yes", "check:go_on", "limit:take"),
    *("game:neptune", "game:bewitched", "witch:0", "service:enter", "service:back", "service:row:0", "service:done"),
)
"""Buttons and touch areas of all screens, live or not."""


def answers_a_payout(rig: Rig) -> bool:
    """Whether the key that is on has answered the payout in progress, which then goes on."""
    return rig.machine.states.state in (State.HANDPAY, State.COLLECTING)


class Playing(RuleBasedStateMachine):
    """One machine with all games, played in any order."""

    @initialize(seed=NUMBERS)
    def switch_on(self, seed: int) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="machine"))
        self.runner = asyncio.Runner(loop_factory=VirtualTimeLoop)
        self.seed = seed
        self.opening: tuple[int, ...] = ()
        config = only(self.folder, *names())
        limits = msgspec.structs.replace(config.limits, large_win_cents=LARGE_WIN_CENTS)
        config = msgspec.structs.replace(config, limits=limits)
        self.rig = Rig(self.folder, config=config, draws=self.draws, hopper=PlainHopper())
        self.run(self.rig.start())

    def draws(self, number: int, segment: int) -> Draw:
        """Seeded draws; a round's reels stop where the newest opening puts them."""
        rest = random.Random(f"{self.seed}/{number}/{segment}")  # a test's luck must be the same every time
        values = chain(self.opening if segment == 0 else (), repeat(None))
        self.opening = () if segment == 0 else self.opening

        def draw(bound: int, /) -> int:
            value = next(values)
            return rest.randrange(bound) if value is None or value >= bound else value

        return draw

    def run(self, coroutine: Coroutine[object, object, None]) -> None:
        self.runner.run(coroutine)
        self.runner.run(self.balanced())

    async def balanced(self) -> None:
        """The books balance, no pool is off by a fraction of a cent, and the screen promises nothing it has not."""
        await self.rig.journal.do(lambda tx: tx.audit())
        assert all(rest == 0 for _, _, rest in await self.rig.rows(UNPAID))
        if self.rig.screen.views:
            # a stake that was committed this moment is on the screen as soon as its flow goes on
            await self.rig.until_true(lambda: self.rig.screen.view.balance.credit_cents <= self.rig.credit, 1.0)
            view = self.rig.screen.view
            assert 0 <= view.round.at_risk_cents <= view.round.win_cents or view.past.replay is not None
        await self.past_wins_are_true()
        machine = self.rig.machine
        if machine.conditions.overlay is not None:
            assert (self.rig.front.coins, self.rig.front.notes) == (False, frozenset())
            assert machine.states.controls <= {"service"}
        if machine.play.session.game:
            assert betting.is_offered(machine.play.game, self.rig.config.games, machine.play.bet)

    async def past_wins_are_true(self) -> None:
        """Between rounds a win on the screen is that of the newest round, at the bet it was played with.

        The rules can be read while a win waits to be gambled: what is at risk is not in the round's win yet.
        """
        machine = self.rig.machine
        if (
            machine.states.state not in BETWEEN_GAMES
            or machine.conditions.overlay is not None
            or not machine.play.win_cents
        ):
            return
        newest = "SELECT game, lines, coins_per_line, coin_value_cents, win_cents FROM rounds ORDER BY id DESC LIMIT 1"
        ((game, lines, coins, value, win_cents),) = await self.rig.rows(newest)
        assert (machine.play.session.game, machine.play.win_cents - machine.play.at_risk_cents) == (game, win_cents)
        assert machine.play.played_bet == Bet(lines=lines, coins_per_line=coins, coin_value_cents=value)

    async def press(self, control: str, seconds: float = 0.2) -> None:
        await self.rig.press(control, seconds)

    async def towards(self, wanted: State) -> None:
        """Lead the player on until the machine is in that state, or for a while."""
        machine = self.rig.machine
        for _ in range(60):
            if machine.conditions.overlay is State.LARGE_WIN:
                await self.rig.turn_key("attendant")
            if machine.states.state is wanted or machine.conditions.overlay is not None:
                return
            await self.press(LEAVE.get(machine.states.state, ""), 1.0)
            if machine.states.state is State.HANDPAY:
                await self.rig.turn_key("attendant")

    @rule(game=st.sampled_from(names()), opening=NUMBERS, bets=st.lists(NUMBERS, max_size=4), answers=st.lists(NUMBERS))
    def play(self, game: str, opening: int, bets: list[int], answers: list[int]) -> None:
        """Sit down at a game, choose a bet, spin or buy, and answer what is asked; the round may be left unfinished."""

        async def play() -> None:
            machine = self.rig.machine
            await self.funds()
            await self.towards(State.LOBBY)
            await self.press(f"game:{game}")
            await self.press(f"witch:{opening % 2}")
            for number in bets:
                await self.press(("bet", "lines", "coin_value", "max_bet")[number % 4])
            self.opening = OPENINGS[game][opening % len(OPENINGS[game])]
            if len(answers) % 2:
                for _ in range(10):
                    await self.press("lines" if machine.play.buy_cents > machine.journal.credit_cents else "")
                await self.press("buy")
            await self.press("spin")
            if machine.states.state is State.LOWEST_BET:
                await self.press("lowest_bet:yes")
                await self.press("spin")
            for number in answers:
                await self.answer(number)

        self.run(play())

    async def funds(self) -> None:
        """Put a note in where little is left."""
        if self.rig.credit < 5000:
            await self.rig.note(5000)

    async def answer(self, number: int) -> None:
        """Answer an offer with any of what lives there, or let time pass."""
        live = sorted(name for name in self.rig.machine.states.controls if name.startswith("choice:")) or ["spin"]
        if self.rig.machine.states.state is State.GAMBLE_OFFER:
            live = ["max_bet", "info", "bet", "auto", "spin"]
        await self.press((*live, "collect")[number % (len(live) + 1)], 0.6)

    @rule(numbers=st.lists(NUMBERS, min_size=1, max_size=12), seconds=st.sampled_from((0.0, 0.05, 0.5, 2.0)))
    def presses(self, numbers: list[int], seconds: float) -> None:
        """Press anything that lives, one after the other."""

        async def press() -> None:
            for number in numbers:
                live = sorted(self.rig.machine.states.controls)
                if live:
                    await self.press(live[number % len(live)], seconds)

        self.run(press())

    @rule(game=st.sampled_from(names()), spins=st.integers(1, 5), seconds=st.sampled_from((0.5, 5.0, 30.0)))
    def autospin(self, game: str, spins: int, seconds: float) -> None:
        """Let autospin run for a while, on features too."""

        async def play() -> None:
            await self.funds()
            await self.towards(State.LOBBY)
            await self.press(f"game:{game}")
            await self.press("spin" if self.rig.shown == "witch" else "")
            await self.press("auto")
            self.opening = OPENINGS[game][spins % len(OPENINGS[game])]
            await self.press("auto:start")
            await asyncio.sleep(seconds)

        self.run(play())

    @rule(number=NUMBERS, seconds=st.sampled_from((0.3, 2.0, 20.0)))
    def watch(self, number: int, seconds: float) -> None:
        """Watch a past round again, to its end or not."""

        async def watch() -> None:
            await self.towards(State.IDLE)
            await self.press("history")
            history = self.rig.machine.play.history
            if history:
                await self.press(f"history:{history[number % len(history)].number}", seconds)

        self.run(watch())

    @rule(value=st.sampled_from((500, 2000, 5000)))
    def note(self, value: int) -> None:
        async def insert() -> None:
            await self.rig.note(value)

        self.run(insert())

    @rule(seconds=st.sampled_from((0.05, 1.0, 10.0, 70.0)))
    def time_passes(self, seconds: float) -> None:
        self.run(asyncio.sleep(seconds))

    @rule(doors=st.lists(st.sampled_from(DOORS), min_size=1, max_size=3), seconds=st.sampled_from((0.0, 0.5, 5.0)))
    def door(self, doors: list[str], seconds: float) -> None:
        """Doors are opened and shut; afterwards everything is exactly as before (D3)."""

        async def open_and_shut() -> None:
            before, at_rest = self.rig.screen.view, self.at_rest()
            credit = self.rig.credit
            for name in doors:
                await self.rig.door(is_open=True, name=name)
                assert self.rig.shown == "tilted"
            await asyncio.sleep(seconds)
            for name in doors:
                await self.rig.door(is_open=False, name=name)
            if at_rest:
                assert still(self.rig.screen.view) == still(before)
                assert self.rig.credit == credit

        self.run(open_and_shut())

    def at_rest(self) -> bool:
        """Whether nothing moves by itself, no press is being dealt with, and nothing stops the machine."""
        machine = self.rig.machine
        if not machine.states._inbox.empty or PLAYER in machine.task_monitor._at_work:
            return False
        quiet = machine.states.state not in MOVING and machine.play.autospin is None and machine.play.payout is None
        return (
            quiet
            and machine.conditions.overlay is None
            and machine.states.up.is_set()
            and self.rig.shown == machine.states.state
        )

    @rule(door=st.sampled_from(DOORS), shut=st.booleans())
    def door_over_a_cut(self, door: str, shut: bool) -> None:  # noqa: FBT001 - hypothesis hands it over
        """A door that was open as the power went stops the machine until its switch says that it is shut."""

        async def cut() -> None:
            await self.rig.door(is_open=True, name=door)
            await self.rig.restart()
            assert self.rig.shown == "tilted"
            if not shut:
                await self.rig.door(is_open=True, name=door)
            await self.rig.door(is_open=False, name=door)
            assert (DOOR_OPEN, door) not in self.rig.machine.conditions.active

        self.run(cut())

    @rule(
        code=st.sampled_from(REPORTED),
        place=st.sampled_from(sorted(SERVES)),
        seconds=st.sampled_from((0.0, 0.5, 5.0)),
        cut=st.booleans(),
    )
    def device_fails(self, code: str, place: str, seconds: float, cut: bool) -> None:  # noqa: FBT001
        """A fault of any class comes, over a power cut or not, and goes with its cause and its key."""

        async def fail() -> None:
            rig, kind = self.rig, explain(code)
            before, at_rest = rig.screen.view, self.at_rest() and not cut
            if not rig.machine.journal.lock:
                await rig.listener.device_fault(place, code, present=True)
            if cut:
                await rig.restart()
            assert Stops.PLAY not in kind.stops or Stops.PLAY in rig.machine.conditions.stopped
            await asyncio.sleep(seconds)
            await rig.listener.device_fault(place, code, present=False)
            if kind.clears in (Clears.ATTENDANT, Clears.TECHNICIAN) and rig.machine.states.state is not State.HANDPAY:
                await rig.turn_key(kind.clears)
            if at_rest and Stops.PLAY in kind.stops and rig.machine.conditions.overlay is None:
                assert still(rig.screen.view) == still(before)

        self.run(fail())

    @rule(
        who=st.sampled_from(KEYS),
        over_a_cut=st.booleans(),
        pressed=st.lists(st.sampled_from(ANY_CONTROL), max_size=12),
        seconds=st.sampled_from((0.0, 0.2, 2.0, 30.0)),
    )
    def key_left_on(self, who: str, over_a_cut: bool, pressed: list[str], seconds: float) -> None:  # noqa: FBT001
        """Nothing is staked and no payout begun while a key is on, whatever is pressed; then all is as before (S1)."""

        async def press() -> None:
            rig = self.rig
            before, at_rest = rig.screen.view, self.at_rest() and not over_a_cut
            rig.machine.keys.take(who, turned=True)
            await asyncio.sleep(0.1)  # what had been pressed before the turn is in the books
            if over_a_cut:
                await rig.kill()
                await rig.start(until=None, keys_on=[who])
            begun = await rig.rows(BEGUN)
            while rig.shown == "service_menu":
                await self.press("collect")
            for control in pressed:
                await self.press(control, seconds)
            if rig.machine.journal.lock is None and not answers_a_payout(rig):
                assert KEY_TURNED in rig.notices()
                assert await rig.rows(BEGUN) == begun
            rig.machine.keys.take(who, turned=False)
            await asyncio.sleep(0.1)
            if at_rest and rig.machine.conditions.overlay is None:
                assert still(rig.screen.view) == still(before)

        self.run(press())

    @rule(there=st.booleans())
    def display(self, there: bool) -> None:  # noqa: FBT001 - hypothesis hands it over
        self.rig.screen.connected = there

    @rule()
    def kill(self) -> None:
        self.run(self.rig.restart())

    @rule()
    def cash_out(self) -> None:
        async def collect() -> None:
            await self.towards(State.LOBBY)
            await self.press("collect", 3.0)

        self.run(collect())

    def teardown(self) -> None:
        try:
            self.run(self._settle())
        finally:
            self.runner.run(self.rig.kill())
            self.runner.close()
        proof = audit(self.folder / "journal.sqlite", lambda _what, _done, _total: None)
        assert proof.failures == []
        assert proof.replayed == proof.rounds
        shutil.rmtree(self.folder)

    async def _settle(self) -> None:
        await asyncio.sleep(4.0)  # the last picture of a payout is over: its end would drop a digit of the PIN
        for key in ("attendant", "technician"):
            await self.rig.turn_key(key)
        for _ in range(10):
            await self.towards(State.LOBBY)
            await self.press("game:neptune")
        assert self.rig.machine.journal.lock is None, str(self.rig.machine.journal.lock)
        assert self.rig.shown == State.IDLE
        assert await self.rig.rows("SELECT count(*) FROM rounds WHERE state <> 'settled'") == [(0,)]
