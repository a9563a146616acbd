"""A round from the press to its end: each segment is made durable, then shown, then answered."""

import asyncio

from common.error_words import error_words
from controller.errors import LockingError
from controller.faults import ROUND_HELD, Stops
from controller.journal import rounds
from controller.journal.errors import RefusedError
from controller.journal.faults import clear_by_play, clear_fault, raise_fault
from controller.journal.parts import pools_for_new_round, pools_of
from controller.journal.pools import PoolKey
from controller.journal.recoveries import Recovery, record_recovery
from controller.journal.transaction import Transaction
from controller.machine.jackpots import Jackpots
from controller.machine.snapshot import Snapshot, read_snapshot
from controller.machine.states import State
from controller.machine.view import MachineParts
from controller.play.after_play import look_after_play
from controller.play.answering import ABSENT_MINUTES, AUTOMATIC_GAP_S, Answering
from controller.play.history import past_rounds
from controller.play.showing import End, Shows
from controller.rounds.draws import DrawSource, ReplayMismatchError
from controller.rounds.engine import Round, remembered, replay, stake_of, wager_on
from controller.session.autospin import Autospin, AutospinSettings, Stop
from controller.session.betting import gamble_cap
from controller.session.credit_words import NOT_ENOUGH
from controller.session.player_session import LIMIT_REACHED, PlayerSession, keeper
from drivers.clock import Clock
from gamekit.catalogue import UnknownGameError, load
from gamekit.play import Claim, Draw, Game
from ui.protocol.values import Paid, PastRound

OBSTRUCTED = "obstructed"
"""The reason why nothing is staked if something came between the press and the stake; the screen names it."""

RESUME_S = 1.5
"""How long the screen says that a game is resumed before it continues."""


class Playing:
    """Plays rounds on the machine, with draws from `draws`."""

    def __init__(
        self, machine: MachineParts, shows: Shows, clock: Clock, draws: DrawSource, jackpots: Jackpots
    ) -> None:
        self._machine = machine
        self._jackpots = jackpots
        self._shows = shows
        self._clock = clock
        self._draws = draws
        self._number = 0
        self._round_id = 0
        self._staked_at = clock.now()
        """When the newest round was staked; unknown at a start, when the minimum time begins again."""
        self._answering = Answering(machine.journal, machine.play, machine.states, clock)

    async def load(self) -> None:
        """Read the number of rounds, which numbers the draws, and the outcome of the last one."""
        self._number = await self._machine.journal.do(rounds.newest_number)
        self._machine.play.last_round = await self._machine.journal.do(_last_ended)

    def take_press(self) -> str:
        """Return and clear the control that collected a win and whose other action is due, or an empty string."""
        control, self._answering.pressed = self._answering.pressed, ""
        return control

    async def autospin(self, settings: AutospinSettings) -> None:
        """Play rounds until there is a reason to stop; the message then names it."""
        machine = self._machine
        auto = machine.play.autospin = Autospin(settings)
        refused = ""
        try:
            while auto.refusal(machine.play.bet.cents, machine.journal.credit_cents) is None:
                if self.pool_closed:
                    auto.stop(Stop.CLOSED)
                    break
                auto.begun(machine.play.bet.cents)
                played = await self.play()
                if isinstance(played, str):
                    refused = played
                    auto.stop(Stop.CREDIT if played == NOT_ENOUGH else Stop.HELD)
                    break
                auto.played(played.win_cents, jackpot=played.jackpot, feature=played.feature)
                if auto.stopped is None and auto.left:
                    await self._clock.sleep(AUTOMATIC_GAP_S)
        finally:
            machine.play.autospin = None
        machine.states.enter(
            State.IDLE, message=LIMIT_REACHED if refused == LIMIT_REACHED else f"autospin_{auto.stopped}"
        )

    @property
    def pool_closed(self) -> str:
        """The message code for why no round may be played at the chosen bet now, or an empty string."""
        play = self._machine.play
        return (
            "" if play.game.pool is None else self._jackpots.closed(PoolKey(play.game.name, play.bet.coin_value_cents))
        )

    async def play(self, *, price: int = 1) -> Round | str:
        """Stake the bet, or a feature's `price` in bets, play the round to its end and return it.

        If the round is refused, nothing is staked, and the reason is returned: that of
        `PlayerSession.refusal`, `OBSTRUCTED` if a door, a fault or a key interfered, or `NOT_ENOUGH` if the credit no
        longer covers the stake when it is taken (a host may have taken it).
        """
        machine = self._machine
        play, game, house = machine.play, machine.play.game, machine.settings.config.player
        is_held_back = play.care.may_refuse(house)
        if is_held_back and (refused := play.care.refusal(house, play.bet.cents * price)):
            return refused
        await self._least_time()
        wager = wager_on(game, play.bet, price, gamble_cap_cents=gamble_cap(game, machine.settings.config.games))
        memory = "null"
        if game.memory_type is not None:
            memory = await machine.journal.do(lambda tx: rounds.memory(tx, wager.game, wager.bet))
        played = Round(game, stake_of(wager), memory)
        if Stops.PLAY in machine.conditions.stopped:
            return OBSTRUCTED
        segment = played.advance(None, self._draws(self._number, 0))
        before = play.scene
        companion = play.session.witch if game.companions else None

        def begin(tx: Transaction) -> tuple[int, bool] | str:
            if is_held_back and (refused := keeper().read(tx).refusal(house, wager.stake_cents)):
                return refused
            if tx.credit_cents < wager.stake_cents:
                return NOT_ENOUGH
            return _begin(tx, game, wager, memory, segment, companion=companion)

        begun, play.care = await machine.journal.do(
            lambda tx: (begin(tx), keeper().read(tx) if is_held_back else play.care)
        )
        if isinstance(begun, str):
            return begun
        self._round_id, cleared = begun
        self._staked_at = self._clock.now()
        play.paid, play.stake_cents, play.ticket_refused = Paid(), wager.stake_cents, ""
        if cleared:
            await machine.journal.reload()
        self._number += 1
        play.win_cents = play.at_risk_cents = 0
        play.jackpot_won = False
        if before is not None:
            played.scene = before
        await self._carry_on(played)
        return played

    async def _least_time(self) -> None:
        """Wait until the newest round has lasted the minimum time that the house wants (`[games] least_ms`)."""
        left_s = self._staked_at + self._machine.settings.config.games.least_ms / 1000 - self._clock.now()
        if left_s > 0:
            await self._clock.sleep(left_s)

    async def resume(self) -> bool:
        """Continue an interrupted round, if the journal has one; return whether it had.

        That is the open round, or an ended one whose end was not shown. An open round that cannot be replayed is
        voided: the stake is returned, a fault is raised, and everything is kept for inspection. A round whose game is
        missing is held until a start finds the game again, or until the attendant's key voids it.
        """
        machine = self._machine
        recorded = await machine.journal.do(_interrupted_round)
        if recorded is None:
            return False
        wager = recorded.wager
        try:
            played = replay(load(wager.game), recorded)
        except (ReplayMismatchError, UnknownGameError) as error:
            if recorded.state != "open":  # it is fully booked; it just cannot be shown, and the audit will report it
                self._round_id = recorded.id
                await machine.journal.do(lambda tx: record_recovery(tx, recorded, Recovery.NOT_SHOWN))
                await self._ended()
                return False
            reason = str(error)
            if isinstance(error, UnknownGameError):
                await self._hold(wager.game, reason)
            await machine.journal.do(lambda tx: _void_interrupted(tx, recorded, reason))
            await machine.journal.reload()
            return True
        how = Recovery.RESUMED if recorded.state == "open" else Recovery.SHOWN_AGAIN
        if await machine.journal.do(lambda tx: _recovered(tx, recorded, how)):
            await machine.journal.reload()
        self._round_id = recorded.id
        await machine.states.choose(place="idle", game=wager.game, bet=wager.bet)
        machine.play.scene, machine.play.stake_cents = played.scene, wager.stake_cents
        machine.play.resumed = True
        machine.states.enter(State.RECOVERING)
        await self._clock.sleep(RESUME_S)
        await self._carry_on(played)
        return True

    async def _hold(self, game: str, reason: str) -> None:
        """Stop play and money until the attendant's key; a program that has the game can still continue the round."""
        machine = self._machine
        await machine.journal.do(lambda tx: raise_fault(tx, ROUND_HELD, game, reason))
        machine.states.enter(State.RECOVERING)
        await machine.journal.reload()
        await machine.states.clear_of_obstacles()

    async def _carry_on(self, played: Round) -> None:
        """Play the round to its end; a round that cannot continue is voided, like one that cannot be replayed."""
        try:
            await self._to_the_end(played)
        except ReplayMismatchError as error:
            await self._malfunctioned(played, str(error))

    async def _malfunctioned(self, played: Round, reason: str) -> None:
        machine, game, number = self._machine, played.game, self._round_id

        def act(tx: Transaction) -> tuple[str, PastRound | None]:
            recorded = rounds.recorded_round(tx, number)
            _void(tx, recorded, reason)
            return recorded.memory_before, _last_ended(tx)

        memory, machine.play.last_round = await machine.journal.do(act)
        if machine.play.autospin is not None:
            machine.play.autospin.stop(Stop.INTERRUPTED)
        self._answering.absent = machine.play.resumed = False
        self._answering.pressed = ""
        machine.play.win_cents = machine.play.at_risk_cents = 0
        machine.play.unshown_win_cents = machine.play.unshown_credit_cents = 0
        machine.play.scene = game.idle if game.seated is None else game.seated(game.idle, remembered(game, memory))
        machine.play.played_bet = None
        machine.states.enter(State.IDLE)
        await machine.journal.reload()

    def _advance(self, played: Round, answer: int) -> rounds.Segment:
        """Continue the play with this answer; raise `ReplayMismatchError` if it cannot continue."""
        draw = self._draws(self._number - 1, played.segments)
        try:
            return played.advance(answer, draw)
        except LockingError:
            raise  # the generator failed; the round continues after a restart
        except Exception as error:  # whatever a game raises here, its round cannot end
            raise ReplayMismatchError(f"round {self._round_id} cannot go on: {error_words(error)}") from error

    async def _to_the_end(self, played: Round) -> None:
        machine = self._machine
        while True:
            await self._show(played)
            machine.play.resumed = False
            machine.play.jackpot_won |= played.jackpot and not isinstance(played.offer, Claim)
            if played.offer is None:
                break
            if isinstance(played.offer, Claim):
                await self._claim(played)
                continue
            offer = played.offer
            answer = await self._answering.answer(played, self._round_id, self._absent_draw)
            await machine.states.clear_of_obstacles()
            segment = self._advance(played, answer)
            machine.play.care = await machine.journal.do(lambda tx: self._proceed(tx, segment))  # noqa: B023 - awaited within this pass
            if offer.gamble and played.ended and not played.gambled:
                self._settle(played)  # collected from the reels: there is nothing to show
                break
        self._answering.absent = False
        await self._ended()
        await self._least_time()
        if machine.play.autospin is None:
            machine.states.enter(State.IDLE)
        else:
            machine.states.refresh()

    def _proceed(self, tx: Transaction, segment: rounds.Segment) -> PlayerSession:
        rounds.proceed(tx, self._round_id, segment, absent=self._answering.absent)
        return keeper().read(tx)

    async def _ended(self) -> None:
        """Record that the round was shown to its end, and run the checks after play: a large win locks up now."""
        machine = self._machine

        def end(tx: Transaction) -> tuple[PastRound | None, Snapshot]:
            rounds.record_shown(tx, self._round_id)
            look_after_play(tx, self._round_id, machine.settings.config.limits)
            return _last_ended(tx), read_snapshot(tx)

        machine.play.last_round, snapshot = await machine.journal.do(end, durable=False)
        machine.play.care = snapshot.care
        machine.states.apply_if_changed(snapshot)

    def _absent_draw(self) -> Draw:
        return self._draws(self._number - 1, ABSENT_MINUTES)

    async def _claim(self, played: Round) -> None:
        """Claim the pool: the payment, the following segment and the pool's rest are one transaction.

        A linked pool was asked before, and its answer is stored (`Jackpots.answer`).
        """
        machine, number = self._machine, played.segments
        key = PoolKey(played.game.name, played.stake.coin_value_cents)
        rule = played.game.pool
        if rule is None:
            raise ReplayMismatchError(f"{played.game.name} claims a jackpot and has no pool")
        coins = await self._jackpots.answer(key, rule, self._round_id, number)
        segment = self._advance(played, coins)

        def claim(tx: Transaction) -> PlayerSession:
            if pools_of(tx, self._round_id).claim(key, rule, self._round_id, number) != coins:
                raise RefusedError("The pool of {game} changed before it was claimed", game=key.game)
            return self._proceed(tx, segment)

        machine.play.care = await machine.journal.do(claim)

    async def _show(self, played: Round) -> None:
        """Show the newest segment; return when the show is over or skipped, or no display is connected."""
        machine = self._machine
        machine.play.scene = played.scene
        machine.play.win_cents = played.total_cents
        machine.play.unshown_win_cents = played.total_cents - played.before_cents
        machine.play.unshown_credit_cents = played.segment_cents
        while True:
            await machine.states.clear_of_obstacles()
            machine.states.enter(State.ROUND)
            if (
                await self._shows.perform(played.steps, win_cents=machine.play.win_cents, plain=machine.play.plain)
                is End.OVER
            ):
                break
        self._settle(played)

    def _settle(self, played: Round) -> None:
        """Show the final scene and amounts of the newest segment."""
        machine = self._machine
        machine.play.scene, machine.play.played_bet = played.final_scene, machine.play.bet
        machine.play.win_cents = played.total_cents
        machine.play.at_risk_cents = played.at_risk_cents
        machine.play.unshown_win_cents = machine.play.unshown_credit_cents = 0


def _begin(
    tx: Transaction, game: Game, wager: rounds.Wager, memory: str, segment: rounds.Segment, *, companion: int | None
) -> tuple[int, bool]:
    """Begin the round and feed the game's pool in one transaction; refuse a pool that is out of reach.

    Return the round's number, and whether it cleared notices that last until the next play (D4).
    """
    if game.pool is None:
        return rounds.begin(tx, wager, memory, segment, companion=companion), clear_by_play(tx)
    pools, key = pools_for_new_round(tx), PoolKey(game.name, wager.bet.coin_value_cents)
    if not pools.playable(key):
        raise RefusedError(
            "The pool of {game} at {coin_cents} is not to be played for", game=key.game, coin_cents=key.coin_value_cents
        )
    round_id = rounds.begin(tx, wager, memory, segment, companion=companion)
    pools.contribute(key, game.pool, round_id, wager.stake_cents)
    return round_id, clear_by_play(tx)


def _void(tx: Transaction, recorded: rounds.RecordedRound, reason: str) -> None:
    rounds.void(tx, recorded.id, reason)
    pools_of(tx, recorded.id).void(PoolKey(recorded.wager.game, recorded.wager.bet.coin_value_cents), recorded.id)
    raise_fault(tx, "replay_mismatch", "game", reason)


def _void_interrupted(tx: Transaction, recorded: rounds.RecordedRound, reason: str) -> None:
    _void(tx, recorded, reason)
    record_recovery(tx, recorded, Recovery.VOIDED)


def _recovered(tx: Transaction, recorded: rounds.RecordedRound, how: Recovery) -> bool:
    """Record how a round was recovered; return whether it was held before because its game was missing."""
    record_recovery(tx, recorded, how)
    return clear_fault(tx, ROUND_HELD, recorded.wager.game, "itself")


def _last_ended(tx: Transaction) -> PastRound | None:
    return next(iter(past_rounds(tx, 1)), None)


async def last_scene(machine: MachineParts) -> None:
    """Restore the final scene and win of the last round, so that the idle game shows how it ended (L8)."""
    last = await machine.journal.do(_last_round)
    if last is None or last.state != "settled" or last.wager.game != machine.play.session.game:
        return
    try:
        played = await asyncio.to_thread(replay, load(last.wager.game), last)
    except ReplayMismatchError:
        return
    machine.play.scene, machine.play.played_bet, machine.play.win_cents = (
        played.final_scene,
        last.wager.bet,
        last.win_cents,
    )
    machine.play.stake_cents = last.wager.stake_cents


def _interrupted_round(tx: Transaction) -> rounds.RecordedRound | None:
    last = _last_round(tx)
    if last is None or last.state == "void" or (last.state == "settled" and rounds.was_shown(tx, last.id)):
        return None
    return last


def _last_round(tx: Transaction) -> rounds.RecordedRound | None:
    newest = rounds.newest_number(tx)
    return rounds.recorded_round(tx, newest) if newest else None
