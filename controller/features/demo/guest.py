"""A simulated guest who plays without end, with an attendant: rounds, bets, cash-outs."""

import random
from collections.abc import Callable, Mapping
from typing import Protocol

from controller.features.demo.scripted_player import is_in_lobby
from drivers.simulated.front_client import FrontClient

NOTE_PAUSE_S = 4.0
"""Seconds between two notes, so that none is inserted while another is still in the validator's mouth."""

KEY_PAUSE_S = 4.0
"""Seconds after which the attendant turns the key again, to see the effect of the last turn first."""

_POOR_CENTS = 600
_FEW_COINS = 100
_REFILL_COINS = 400
_TURN_S = 0.05
_PATIENCE = 0.9
"""The probability that a guest with little credit inserts a note before the attendant uses the key."""

_ACTS = {"tap spin": 66, "coin": 18, "tap collect": 8, "bet": 8}
"""The actions with enough credit, by weight."""

_LOBBY_ACTS = {"tap lines": 1, "tap spin": 1}


class CreditBooks(Protocol):
    """Books from which the guest reads the credit."""

    @property
    def credit_cents(self) -> int:
        """The credit meter."""


class Guest:
    """Performs random actions of a player or an attendant; `whim` chooses them.

    `now` and `pause` are its time in seconds. `act` raises the errors of `FrontClient.do`.
    """

    def __init__(
        self,
        client: FrontClient,
        books: CreditBooks,
        whim: random.Random,
        *,
        now: Callable[[], float],
        pause: Callable[[float], None],
    ) -> None:
        self._client = client
        self._books = books
        self._whim = whim
        self._now = now
        self._pause = pause
        self._next_note_at = self._next_key_at = 0.0

    def __repr__(self) -> str:
        return f"<Guest at {self._client!r}>"

    def act(self) -> None:
        """Perform one action that fits the lamps; do nothing while all are dark."""
        front = self._client.front
        lamps, whim = front.lamps, self._whim
        if not any(lamps.values()):
            return
        if front.hopper_coins < _FEW_COINS and not front.recycles:
            self._client.do(f"fill {_REFILL_COINS}")  # an empty hopper locks the cabinet until somebody comes
        poor = self._books.credit_cents < _POOR_CENTS
        # COLLECT lit without SPIN: an attendant is called, or the credit is too small for a round
        called = lamps["collect"] and not lamps["spin"] and not (poor and whim.random() < _PATIENCE)
        if called and self._now() >= self._next_key_at:
            self._turn_attendant_key()
            self._next_key_at = self._now() + KEY_PAUSE_S
        elif poor and self._now() >= self._next_note_at:
            self._client.do("take note")
            self._client.do(f"note {whim.choice((5, 10, 20))}")
            self._next_note_at = self._now() + NOTE_PAUSE_S
        else:
            self._play(_LOBBY_ACTS if is_in_lobby(front) else _ACTS)

    def _play(self, acts: Mapping[str, int]) -> None:
        (act,) = self._whim.choices(list(acts), list(acts.values()))
        if act == "coin":
            act = f"coin {self._whim.choice(('0.50', '1', '2'))}"
        elif act == "bet":
            act = f"tap {self._whim.choice(('lines', 'bet', 'max_bet'))}"
        self._client.do(act)

    def _turn_attendant_key(self) -> None:
        self._client.do("key attendant on")
        self._pause(_TURN_S)
        self._client.do("key attendant off")
