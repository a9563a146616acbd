"""The history of past rounds, and the replay of one on the reels, which changes no money.

The replay runs from the journal, so it shows what was played or nothing.
"""

import asyncio

from controller.journal import rounds
from controller.journal.transaction import Transaction
from controller.machine.ports import Replaying
from controller.machine.states import State
from controller.machine.view import MachineParts
from controller.play.showing import End, Shows
from controller.rounds.draws import OtherMathsError, ReplayMismatchError
from controller.rounds.replay import parts
from gamekit.catalogue import UnknownGameError
from ui.protocol.values import PastRound, moment

ROUNDS = 12
"""The number of past rounds listed."""

OLDER, DIFFERS = "history_unavailable", "history_differs"
"""The message codes of a round that cannot be shown: this program lacks its mathematics, or its replay differs from the
record."""

_LEAVE = ("info", "collect", "history:close")
_HISTORY = "history:"


class History:
    """The states `history` and `replay` of the machine."""

    def __init__(self, machine: MachineParts, shows: Shows) -> None:
        self._machine = machine
        self._shows = shows

    async def open(self) -> None:
        """List the past rounds with the cursor on the newest."""
        machine = self._machine
        machine.play.history = await machine.journal.do(lambda tx: past_rounds(tx, ROUNDS))
        machine.states.enter(State.HISTORY, focus=_control(machine.play.history[0]) if machine.play.history else "")

    async def take(self, control: str) -> None:
        """Process a press of a live control."""
        machine = self._machine
        controls = [_control(past) for past in machine.play.history]
        if control in _LEAVE:
            machine.states.enter(State.IDLE)
        elif control in ("lines", "bet"):
            machine.play.message = ""
            machine.states.move_focus(controls, control)
        else:
            chosen = machine.play.focus if control == "spin" else control
            await self._show_again(machine.play.history[controls.index(chosen)])

    async def _show_again(self, past: PastRound) -> None:
        """Show a round's segments one after the other, until the player leaves or something interrupts it."""
        machine = self._machine
        recorded = await machine.journal.do(lambda tx: rounds.recorded_round(tx, past.number))
        bet, message = recorded.wager.bet, ""
        try:
            for part in await asyncio.to_thread(parts, recorded):
                machine.play.replaying = Replaying(past, bet, recorded.companion, part.scene, part.before_cents)
                machine.states.enter(State.REPLAY)
                plain = machine.settings.config.games.is_plain(part.after_cents, past.bet_cents)
                ended = await self._shows.perform(part.steps, win_cents=part.after_cents, leave=_LEAVE, plain=plain)
                if ended is not End.OVER:
                    break
        except (OtherMathsError, UnknownGameError):
            message = OLDER
        except ReplayMismatchError:
            message = DIFFERS
        finally:
            machine.play.replaying = None
        machine.states.enter(State.HISTORY, message=message, focus=_control(past))


def past_rounds(tx: Transaction, most: int) -> tuple[PastRound, ...]:
    """Return at most `most` ended rounds, newest first."""
    return tuple(
        PastRound(
            number=ended.id,
            game=ended.game,
            when=moment(ended.started_ms, seconds=False),
            bet_cents=ended.stake_cents,
            win_cents=ended.win_cents,
            state=ended.state,
        )
        for ended in rounds.ended_rounds(tx, most)
    )


def _control(past: PastRound) -> str:
    return f"{_HISTORY}{past.number}"
