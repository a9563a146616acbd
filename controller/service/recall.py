"""The recall of a past round on its game's own screen, step by step from its replayed beats (L1).

The machine's state does not change: the recall only covers its view.
"""

import asyncio
from collections.abc import Sequence

import msgspec

from controller.journal.accounts import Account, account
from controller.journal.rounds import RecordedRound, recorded_round
from controller.journal.transaction import Transaction
from controller.rounds.replay import Part, stills
from controller.service.covering import covered
from controller.service.page import Line
from controller.service.past_rounds import SETTLED, bet_lines, money_lines
from controller.service.serviced_machine import ServicedMachine
from gamekit.catalogue import load
from gamekit.ways_scene import WaysScene
from ui.protocol.messages import View
from ui.protocol.values import PastRound, moment

STILL_OPEN = "still open"


class Recall:
    """The recall of a round: `at` is the current step, from 0; it plays on the reels until it has been shown."""

    def __init__(
        self, machine: ServicedMachine, summary: Account, recorded: RecordedRound, shown: Sequence[Part]
    ) -> None:
        self._machine = machine
        self._summary = summary
        self._recorded = recorded
        self._parts = shown
        self._due = True
        self._number = 0
        self._turn = 0
        self.at = 0
        self.rules: int | None = None
        """The page number of the game's paytable and rules over the recall, None if closed (L3)."""

    def __repr__(self) -> str:
        return f"<Recall of round {self._summary.id}, step {self.at + 1} of {len(self._parts)}>"

    @property
    def part(self) -> Part:
        """The current step."""
        return self._parts[self.at]

    @property
    def playing(self) -> bool:
        """Whether the step is playing on the reels or about to; a new turn of the machine ends it."""
        return self._due or (self._number > 0 and self._turn == self._machine.states.turn)

    @property
    def lines(self) -> Sequence[Line]:
        """Return the figures of the current step, always eight, then the money around the round."""
        summary, wager, part = self._summary, self._recorded.wager, self.part
        after = summary.credit_after_cents
        return [
            Line("Step", f"{self.at + 1} / {len(self._parts)}", tone="heading"),
            Line("Stake", cents=wager.stake_cents),
            *bet_lines(load(wager.game), wager.bet),
            Line("Win so far", cents=part.after_cents),
            self._special(),
            Line("Credit before", cents=summary.credit_before_cents),
            Line("Credit after", STILL_OPEN) if after is None else Line("Credit after", cents=after),
            *money_lines(summary),
        ]

    def _special(self) -> Line:
        """Return the line of the jackpot won so far, the cascade shown, the answer before this step, or the state.

        The last step of a round that is not settled has its state.
        """
        part, summary = self.part, self._summary
        jackpot = sum(cents for number, cents in summary.jackpots_cents.items() if number <= part.segment)
        answer = self._recorded.segments[part.segment].answer
        if jackpot:
            return Line("Jackpot won", cents=jackpot, tone="good")
        if part is self._parts[-1] and summary.state != SETTLED:
            return Line("Round", summary.state)
        if isinstance(part.final_scene, WaysScene) and part.final_scene.cascade:
            return Line("Cascade", f"{part.final_scene.cascade} \u00b7 \u00d7 {part.final_scene.multiplier}")
        return Line("Round", self._summary.state) if answer is None else Line("Answer", count=answer)

    def press(self, key: str) -> None:
        """Handle a key: next, previous, first or last step; ENTER plays the step again or ends it.

        While the paytable and rules are open, the keys turn their pages.
        """
        if self.rules is not None:
            turns = {"up": max(0, self.rules - 1), "down": self.rules + 1}
            self.rules = None if key == "back" else turns.get(key, self.rules)
            return
        if key == "rules":
            self.rules = 0
            return
        last, was_playing = len(self._parts) - 1, self.playing
        places = {"down": min(last, self.at + 1), "up": max(0, self.at - 1), "first": 0, "last": last, "enter": self.at}
        if key in places:
            moved = places[key] != self.at
            self.at, self._number = places[key], 0
            self._due = (key == "down" and moved) or key == "first" or (key == "enter" and not was_playing)

    def perform(self) -> None:
        """Play the step on the reels if it is due; the view before it has been published."""
        if self._due:
            machine = self._machine
            self._due, self._turn = False, machine.states.turn
            shown = machine.screen.show(
                self.part.steps, credit_cents=machine.journal.credit_cents, win_cents=self.part.after_cents
            )
            self._number = shown

    def shown(self, number: int) -> bool:
        """Note that the display has shown everything up to `number`; return whether this step has ended."""
        if not 0 < self._number <= number:
            return False
        self._number = 0
        return True

    def view(self, view: View) -> View:
        """Return `view` with the round on its reels, without the machine's own play."""
        part, playing = self.part, self.playing
        wager, waits = self._recorded.wager, part.offer is not None and part.offer.waits
        shown = covered(
            view,
            past=PastRound(
                number=self._summary.id,
                game=wager.game,
                when=moment(self._summary.started_ms),
                bet_cents=wager.stake_cents,
                win_cents=self._summary.win_cents,
                state=self._summary.state,
            ),
            bet=wager.bet,
            scene=part.scene if playing else part.final_scene,
            offer=part.offer if waits and not playing else None,
            win_cents=part.before_cents if playing else part.after_cents,
            at_risk_cents=0 if playing else part.at_risk_cents,
            companion=self._recorded.companion,
        )
        if self.rules is None:
            return shown
        return msgspec.structs.replace(
            shown,
            focus=f"page:{self.rules}",
            controls=(*shown.controls, "paytable_close"),
            terms=msgspec.structs.replace(shown.terms, gamble_cap_cents=wager.gamble_cap_cents or 0),
        )


async def recall(machine: ServicedMachine, number: int) -> Recall:
    """Return the recall of a round, up to its last committed step.

    Raises `ReplayMismatchError` if it would differ from the played round, `UnknownGameError` if this program does not
    have the game.
    """

    def read(tx: Transaction) -> tuple[Account, RecordedRound]:
        return account(tx, number), recorded_round(tx, number)

    summary, recorded = await machine.journal.do(read)
    return Recall(machine, summary, recorded, await asyncio.to_thread(stills, recorded))
