"""Answers to an offer: by the player, automatically, or, long after the player has left, by the house's rules."""

from collections.abc import Callable

from controller.journal import rounds
from controller.journal.transaction import Transaction
from controller.machine.game_state import GameState
from controller.machine.journal_port import JournalPort
from controller.machine.state_machine import StateMachine
from controller.machine.states import State
from controller.play.paytable import PaytablePages
from controller.rounds.engine import Round
from controller.session.autospin import Autospin, Stop
from drivers.clock import Clock
from gamekit.play import Draw, Offer

AUTOMATIC_GAP_S = 0.5
"""The pause before a spin that needs no press: in autospin, and each free spin or respin that does not wait for one."""

MINUTE_S = 60.0
ABSENT_MINUTES = 120 * 60
"""After this many powered-on minutes without the player a round finishes by itself."""

_CHOICE = "choice:"


class Answering:
    """Answers the offers of the round on the machine.

    `absent` says that the player counts as gone until the round has ended. `pressed` is a control that collected a win
    instead of gambling it, and whose action in the idle game is still to be done.
    """

    def __init__(self, journal: JournalPort, play: GameState, states: StateMachine, clock: Clock) -> None:
        self.absent = False
        self.pressed = ""
        self._journal = journal
        self._play = play
        self._states = states
        self._clock = clock
        self._paytable = PaytablePages(play, states)
        self._round_id = 0
        self._draw: Callable[[], Draw]

    async def answer(self, played: Round, round_id: int, absent_draw: Callable[[], Draw]) -> int:
        """Return the answer to the offer of `played`; picks of an absent player are drawn from `absent_draw`.

        Raises `ValueError` if nothing is on offer.
        """
        if played.offer is None:
            raise ValueError(f"round {round_id} waits for no answer")
        self._round_id, self._draw = round_id, absent_draw
        return await (self._gamble(played, played.offer) if played.offer.gamble else self._answer(played.offer))

    async def _gamble(self, played: Round, offer: Offer) -> int:
        """Return the player's answer to a gamble offer; nothing is gambled unless GAMBLE is pressed.

        After a restart the house's cap may be lower than the one that the round was staked under.
        """
        auto = self._play.autospin
        collect = offer.choices[0]
        if offer.at_risk_cents > self._play.gamble_cap_cents:
            return collect
        if auto is not None and not self._ends(auto, played):
            self._states.refresh()
            await self._clock.sleep(AUTOMATIC_GAP_S)  # until the next spin it may be stopped (Bewitched's RULES.md, 4)
            if self._play.spins_by_itself:
                return collect
        if not played.gambled and not await self._wants_to_gamble(offer):
            return collect
        self._states.enter(State.GAMBLE, offer=offer, focus=_choice(collect))
        return await self._chosen(offer)

    def _ends(self, auto: Autospin, played: Round) -> bool:
        credit_cents = self._journal.credit_cents + played.at_risk_cents
        return auto.ends_after(
            played.total_cents,
            self._play.bet.cents,
            credit_cents,
            jackpot=played.jackpot,
            feature=played.feature,
        )

    async def _wants_to_gamble(self, offer: Offer) -> bool:
        """Leave the reels unchanged until the player presses; return whether that was GAMBLE, which is MAX BET.

        Any other control collects the win and then does what it does in the idle game (`take_press`). The exception is
        INFO, which shows the paytable with the rules of the gamble and returns here.
        """
        auto = self._play.autospin
        message = "" if auto is None else f"autospin_{auto.stopped}"
        self._states.enter(State.GAMBLE_OFFER, offer=offer, message=message)
        while (control := await self._press()) is not None:
            if self._states.state is State.PAYTABLE:
                if await self._paytable.take(control) == "close":
                    self._states.enter(State.GAMBLE_OFFER, offer=offer, message=message)
            elif control == "info":
                self._paytable.open(offer)
            elif control == "max_bet":
                return True
            else:
                self.pressed = "" if control == "collect" else control
                return False
        return False

    async def _answer(self, offer: Offer) -> int:
        """Return the player's answer; an offer that needs none continues by itself."""
        if not offer.waits:
            self._states.refresh()
            await self._clock.sleep(AUTOMATIC_GAP_S)
            return offer.choices[0]
        self._states.enter(State.OFFER, offer=offer, focus=_choice(offer.choices[0]) if offer.pick else "")
        return await self._chosen(offer)

    async def _chosen(self, offer: Offer) -> int:
        """Return the choice of the player, or once the player is absent, the choice made instead."""
        while (control := await self._press()) is not None:
            answer = self._pressed(offer, control)
            if answer is not None:
                return answer
        return self._without_player(offer)

    async def _press(self) -> str | None:
        """Return the control that the player presses next, or None once the player counts as gone."""
        while not self.absent:
            if self._play.unseen:  # nobody can choose what is not shown, so the player counts as gone
                self.absent = True
                return None
            got = await self._states.next_input(MINUTE_S)
            if got is None:
                self.absent = await self._journal.do(self._minute_passed) >= ABSENT_MINUTES
            elif got.kind == "press":
                return got.what
        return None

    def _pressed(self, offer: Offer, control: str) -> int | None:
        """Return the answer of a press, or None if it only moves the cursor."""
        if control.startswith(_CHOICE):
            return int(control.removeprefix(_CHOICE))
        if control == "collect":
            return offer.choices[0]
        if control == "spin":
            return int(self._play.focus.removeprefix(_CHOICE)) if offer.pick else offer.choices[0]
        if control in ("lines", "bet"):
            self._states.move_focus([_choice(choice) for choice in offer.choices], control)
        return None

    def _minute_passed(self, tx: Transaction) -> int:
        return rounds.waited_a_minute(tx, self._round_id)

    def _without_player(self, offer: Offer) -> int:
        """Answer for an absent player: continue, pick by a fair draw, never gamble, and stake nothing more."""
        if self._play.autospin is not None:
            self._play.autospin.stop(Stop.INTERRUPTED)
        if not offer.pick or offer.gamble:
            return offer.choices[0]
        return offer.choices[self._draw()(len(offer.choices))]


def _choice(choice: int) -> str:
    return f"{_CHOICE}{choice}"
