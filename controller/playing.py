"""A round from the press to its end: each segment durable, then shown, then answered."""

import asyncio

from controller.autospin import Autospin, AutospinSettings, Stop
from controller.draws import DrawSource, ReplayMismatchError
from controller.journal import faults, rounds
from controller.journal.errors import RefusedError
from controller.journal.pools import JournalPools, PoolKey, whole_coins
from controller.journal.transaction import Transaction
from controller.machine import Machine
from controller.rounds import Round, replay, stake_of
from controller.states import State
from games.catalogue import UnknownGameError, load
from games.play import Claim, Game, Offer

AUTOMATIC_GAP_S = 0.5
"""Pause before a spin that needs no press: in autospin, and each free spin after the first, which waits for one."""

LOOK_S = 0.25
"""How often a show looks whether anybody still draws it."""

MINUTE_S = 60.0
ABSENT_MINUTES = 120 * 60
"""After so many powered-on minutes without the player a round finishes by itself (games.md, incomplete rounds)."""

RESUME_S = 1.5
"""How long the screen says that a game is resumed before it goes on."""


class Playing:
    """Plays rounds on the machine, with draws from `draws`."""

    def __init__(self, machine: Machine, draws: DrawSource) -> None:
        self._machine = machine
        self._draws = draws
        self._number = 0
        self._round_id = 0
        self._absent = False

    async def load(self) -> None:
        """Count the rounds of the journal, which number the draws."""
        self._number = await self._machine.do(_rounds_begun)

    async def autospin(self, settings: AutospinSettings) -> None:
        """Play rounds one after the other until there is a reason to stop, which the message then names."""
        machine = self._machine
        auto = machine.autospin = Autospin(settings)
        try:
            while auto.refusal(machine.bet.cents, machine.credit_cents) is None:
                auto.begun(machine.bet.cents)
                played = await self.play()
                auto.played(played.win_cents, jackpot=played.jackpot, feature=played.feature)
                if auto.stopped is None and auto.left:
                    await machine.clock.sleep(AUTOMATIC_GAP_S)
        finally:
            machine.autospin = None
        machine.enter(State.IDLE, message=f"autospin_{auto.stopped}")

    async def play(self) -> Round:
        """Stake the bet, play the round to its end and return it. The caller has seen that the credit suffices."""
        machine = self._machine
        game, bet = machine.game, machine.bet
        wager = rounds.Wager(
            game=game.name,
            maths_version=game.maths_version,
            maths_hash=game.maths_hash,
            lines=bet.lines,
            coins_per_line=bet.coins_per_line,
            coin_value_cents=bet.coin_value_cents,
        )
        memory = "null" if game.memory_type is None else await machine.do(lambda tx: rounds.memory(tx, wager))
        played = Round(game, stake_of(wager), memory)
        segment = played.advance(None, self._draws(self._number, 0))
        before = machine.scene
        self._round_id = await machine.do(lambda tx: _begin(tx, game, wager, memory, segment))
        self._number += 1
        machine.win_cents = 0
        if before is not None:
            played.scene = before
        await self._carry_on(played)
        return played

    async def resume(self) -> bool:
        """Continue the round that was interrupted, if the journal has one; return whether it had.

        That is the open round, or one that has ended and whose end was not shown. An open one that cannot be replayed
        is voided: stake back, fault raised, everything kept for inspection.
        """
        machine = self._machine
        recorded = await machine.do(_interrupted_round)
        if recorded is None:
            return False
        wager = recorded.wager
        try:
            played = replay(load(wager.game), recorded)
        except (ReplayMismatchError, UnknownGameError) as error:
            if recorded.state != "open":
                return False  # it was booked in full; what is lost is the sight of it, and the audit will name it
            reason = str(error)
            await machine.do(lambda tx: _void(tx, recorded, reason))
            await machine.reload()
            return True
        self._round_id = recorded.id
        await machine.choose(
            place="idle",
            game=wager.game,
            lines=wager.lines,
            coins_per_line=wager.coins_per_line,
            coin_value_cents=wager.coin_value_cents,
        )
        machine.scene = played.scene
        machine.resumed = True
        machine.enter(State.RECOVERING)
        await machine.clock.sleep(RESUME_S)
        await self._carry_on(played)
        return True

    async def _carry_on(self, played: Round) -> None:
        machine = self._machine
        while True:
            await self._show(played)
            machine.resumed = False
            if played.offer is None:
                break
            if isinstance(played.offer, Claim):
                await self._claim(played)
                continue
            answer = await self._answer(played.offer, first=not played.continued)
            await machine.clear_of_obstacles()
            segment = played.advance(answer, self._draws(self._number - 1, played.segments))
            await machine.do(lambda tx: rounds.proceed(tx, self._round_id, segment))  # noqa: B023 - awaited within this pass
        self._absent = False
        await machine.do(lambda tx: rounds.record_shown(tx, self._round_id))
        if machine.autospin is None:
            machine.enter(State.IDLE)
        else:
            machine.refresh()

    async def _claim(self, played: Round) -> None:
        """Let the pool answer: what it pays, the segment that follows and the pool's rest are one transaction."""
        machine, number = self._machine, played.segments
        key = PoolKey(played.game.name, played.stake.coin_value_cents)
        rule = played.game.pool
        if rule is None:
            raise ReplayMismatchError(f"{played.game.name} claims a jackpot and has no pool")
        value = await machine.do(lambda tx: JournalPools(tx).value(key, rule))
        coins = whole_coins(value, key.coin_value_cents)
        segment = played.advance(coins, self._draws(self._number - 1, number))

        def claim(tx: Transaction) -> None:
            if JournalPools(tx).claim(key, rule, self._round_id, number) != coins:
                raise RefusedError(f"the pool of {key.game} changed between its look and its claim")
            rounds.proceed(tx, self._round_id, segment)

        await machine.do(claim)

    async def _show(self, played: Round) -> None:
        """Show the newest segment and return when it is over, has been skipped, or nobody shows it."""
        machine = self._machine
        machine.scene = played.scene
        machine.win_cents = played.win_cents
        machine.unshown_win_cents = played.segment_cents
        while True:
            await machine.clear_of_obstacles()
            machine.enter(State.ROUND)
            if await self._shown(played):
                break
        machine.showing = False
        machine.scene = played.standing
        machine.unshown_win_cents = 0

    async def _shown(self, played: Round) -> bool:
        """Send the show and wait for its end; False where an obstacle came between and it must be shown again."""
        machine = self._machine
        turn = machine.turn
        number = machine.screen.show(played.steps, credit_cents=machine.credit_cents, win_cents=machine.win_cents)
        machine.showing = True
        ends = machine.clock.now() + machine.cabinet.timing.show_limit_ms / 1000
        alone_since = machine.clock.now()
        patience = machine.cabinet.timing.undisplayed_show_ms / 1000
        slice_s = min(LOOK_S, patience)
        while machine.clock.now() < ends:
            got = await machine.next_input(slice_s)
            if machine.turn != turn:
                return False
            if machine.screen.connected:
                alone_since = machine.clock.now()
            elif machine.clock.now() - alone_since >= patience:
                return True
            if got is None:
                continue
            if got.kind == "ack" and got.number >= number:
                return True
            if got.kind == "press" and got.what == "spin":
                machine.screen.hurry(number)
        return True

    async def _answer(self, offer: Offer, *, first: bool) -> int:
        machine = self._machine
        if offer.at_risk_cents and machine.spins_by_itself:
            return offer.choices[0]  # no gamble in autospin; once it is stopped the player may (rules/bewitched.txt)
        if not offer.pick and not first:
            machine.refresh()
            await machine.clock.sleep(AUTOMATIC_GAP_S)
            return offer.choices[0]
        machine.enter(State.OFFER, offer=offer, focus=_chest(offer.choices[0]) if offer.pick else "")
        while True:
            got = await machine.next_input(MINUTE_S)
            if got is None:
                self._absent = await machine.do(self._minute_passed) >= ABSENT_MINUTES
            if self._absent:
                return self._without_player(offer)
            if got is None or got.kind != "press":
                continue
            if got.what.startswith("chest:"):
                return int(got.what.removeprefix("chest:"))
            if got.what == "spin":
                return int(machine.focus.removeprefix("chest:")) if offer.pick else offer.choices[0]
            if got.what in ("lines", "bet"):
                step = -1 if got.what == "lines" else 1
                at = offer.choices.index(int(machine.focus.removeprefix("chest:"))) + step
                machine.focus = _chest(offer.choices[at % len(offer.choices)])
                machine.refresh()

    def _minute_passed(self, tx: Transaction) -> int:
        return rounds.waited_a_minute(tx, self._round_id)

    def _without_player(self, offer: Offer) -> int:
        """Answer for a player who is gone: go on, pick by a fair draw, never gamble, and stake nothing more."""
        if self._machine.autospin is not None:
            self._machine.autospin.stop(Stop.INTERRUPTED)
        if not offer.pick or offer.at_risk_cents:
            return offer.choices[0]
        draw = self._draws(self._number - 1, ABSENT_MINUTES)
        return offer.choices[draw(len(offer.choices))]


def _begin(tx: Transaction, game: Game, wager: rounds.Wager, memory: str, segment: rounds.Segment) -> int:
    """Begin the round and feed the game's pool, in one transaction."""
    round_id = rounds.begin(tx, wager, memory, segment)
    if game.pool is not None:
        key = PoolKey(game.name, wager.coin_value_cents)
        JournalPools(tx).contribute(key, game.pool, round_id, wager.stake_cents)
    return round_id


def _chest(choice: int) -> str:
    return f"chest:{choice}"


def _rounds_begun(tx: Transaction) -> int:
    (count,) = tx.execute("SELECT coalesce(max(id), 0) FROM rounds").fetchone()
    return int(count)


def _void(tx: Transaction, recorded: rounds.RecordedRound, reason: str) -> None:
    rounds.void(tx, recorded.id, reason)
    JournalPools(tx).void(PoolKey(recorded.wager.game, recorded.wager.coin_value_cents), recorded.id)
    faults.raise_fault(tx, "replay_mismatch", "game", reason)
    faults.fault_gone(tx, "replay_mismatch", "game")


async def last_scene(machine: Machine) -> None:
    """Take up the final scene and win of the last round, so that the idle game shows how it ended (L8)."""
    last = await machine.do(_last_round)
    if last is None or last.state != "settled" or last.wager.game != machine.session.game:
        return
    try:
        played = await asyncio.to_thread(replay, load(last.wager.game), last)
    except ReplayMismatchError:
        return
    machine.scene = played.standing
    machine.win_cents = last.win_cents


def _interrupted_round(tx: Transaction) -> rounds.RecordedRound | None:
    last = _last_round(tx)
    if last is None or last.state == "void" or (last.state == "settled" and rounds.was_shown(tx, last.id)):
        return None
    return last


def _last_round(tx: Transaction) -> rounds.RecordedRound | None:
    newest = _rounds_begun(tx)
    return rounds.recorded_round(tx, newest) if newest else None
