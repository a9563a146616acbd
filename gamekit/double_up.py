"""Double-up: the player guesses the colour of a card, and doubles what is at risk or loses it.

All games that offer it share this module: they `yield from double_up(...)` at the end of a round. Odds are exactly
even: one `draw(2)` after the guess decides, and a card of the matching colour is turned. Which card of that colour is
shown, and whether a joker replaces it, is decoration, drawn afterwards so that a replay shows the same cards.

Amounts are in cents, because money is halved and doubled, not coins.
"""

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import ClassVar, Self, TypeVar

import msgspec

from gamekit.beats import checked_choice
from gamekit.play import Answer, Beat, Draw, Offer, Step

COLLECT, RED, BLACK, HALVE = range(4)
"""The choices of a `DoubleUp` offer."""

_LEAST_TO_HALVE_CENTS = 2

Result = TypeVar("Result")


@dataclass(frozen=True)
class DoubleUpRules:
    """One game's double-up: at most `rounds` guesses, each only while at most `most_cents` are at risk.

    `red` and `black` name the cards of each colour that may be shown. With `joker_one_in` above 0, one win in that many
    shows a joker instead of the right card. Raises ValueError for a colour without a card, or without rounds.
    """

    rounds: int
    red: tuple[str, ...]
    black: tuple[str, ...]
    most_cents: int | None = None
    halve: bool = False
    joker: str = "joker"
    joker_one_in: int = 0

    def __post_init__(self) -> None:
        """Refuse rules that could not be played."""
        if self.rounds < 1 or not self.red or not self.black:
            raise ValueError("double-up needs one round or more, and a card of each colour")

    def allows(self, at_risk_cents: int) -> bool:
        """Whether so much may be gambled."""
        return at_risk_cents > 0 and (self.most_cents is None or at_risk_cents <= self.most_cents)

    def capped_at(self, cap_cents: int | None) -> Self:
        """Return these rules with a cabinet's cap applied, which can only lower their own cap; None changes nothing."""
        if cap_cents is None:
            return self
        return replace(self, most_cents=cap_cents if self.most_cents is None else min(cap_cents, self.most_cents))

    def amount_to_gamble(self, won_cents: int) -> int:
        """Return how much of `won_cents` stays at risk until it can be gambled: all, or 0 if it may not be."""
        return won_cents if self.allows(won_cents) else 0

    def choices(self, at_risk_cents: int) -> tuple[int, ...]:
        """Return the choices for `at_risk_cents`; each half must be at least one cent."""
        halve = self.halve and at_risk_cents >= _LEAST_TO_HALVE_CENTS
        return (COLLECT, RED, BLACK, HALVE) if halve else (COLLECT, RED, BLACK)


class DoubleUp(Offer, frozen=True, kw_only=True, gc=False):
    """Guess `round` (from 1) of at most `rounds` may be made for what is at risk; `cards` lie there, newest first.

    COLLECT takes the amount at risk, and is the default answer: for autospin, or a player who has left.
    """

    gamble: ClassVar[bool] = True
    round: int
    rounds: int
    cards: tuple[str, ...]
    pick: bool = True


class CardTurned(Beat, frozen=True, kw_only=True, gc=False):
    """The guess `choice` was played and `card` turned; `cents` is the amount at risk, negative if it was lost."""

    choice: int
    card: str
    won: bool


class Halved(Beat, frozen=True, kw_only=True, gc=False):
    """`credited_cents`, with any odd cent, went to the credit; `left_cents` stay at risk. It pays nothing new."""

    credited_cents: int
    left_cents: int


class DoubleUpEnded(Beat, frozen=True, kw_only=True, gc=False):
    """Double-up is over; the wager became `total_cents`, halves credited on the way included."""

    total_cents: int


def double_up(wager_cents: int, draw: Draw, rules: DoubleUpRules) -> Generator[Step, Answer | None, int]:
    """Offer to double `wager_cents`, which the round's beats have paid, and return the resulting cents.

    If the rules do not allow the wager, nothing is offered or yielded.
    """
    at_risk, credited, played = wager_cents, 0, 0
    cards: tuple[str, ...] = ()
    if not rules.allows(wager_cents):
        return wager_cents
    while played < rules.rounds and rules.allows(at_risk):
        offer = DoubleUp(
            choices=rules.choices(at_risk), at_risk_cents=at_risk, round=played + 1, rounds=rules.rounds, cards=cards
        )
        choice = checked_choice(offer, (yield offer))
        if choice == COLLECT:
            break
        if choice == HALVE:
            left = at_risk // 2
            credited += at_risk - left
            yield Halved(credited_cents=at_risk - left, left_cents=left)
            at_risk = left
            continue
        played += 1
        colour = (RED, BLACK)[draw(2)]
        card = _card(colour, draw, rules, won=colour == choice)
        cards = (card, *cards)
        yield CardTurned(
            choice=choice, card=card, won=colour == choice, cents=at_risk if colour == choice else -at_risk
        )
        at_risk = 2 * at_risk if colour == choice else 0
    yield DoubleUpEnded(total_cents=credited + at_risk)
    return credited + at_risk


def _card(colour: int, draw: Draw, rules: DoubleUpRules, *, won: bool) -> str:
    """Return a card to show for a guess that is already decided."""
    if won and rules.joker_one_in and draw(rules.joker_one_in) == 0:
        return rules.joker
    faces = rules.red if colour == RED else rules.black
    return faces[draw(len(faces))] if len(faces) > 1 else faces[0]


def with_cents_at_risk(
    play: Generator[Step, Answer | None, Result], cents: int
) -> Generator[Step, Answer | None, Result]:
    """Play `play` with `cents` at risk in each of its offers, and return its result.

    For a win that a later double-up wagers: credited money cannot be wagered, so the win stays at risk until then,
    while the pays of the features in between are credited as they come.
    """
    answer = None
    while True:
        try:
            step = play.send(answer)
        except StopIteration as ended:
            result: Result = ended.value
            return result
        answer = yield (msgspec.structs.replace(step, at_risk_cents=cents) if isinstance(step, Offer) else step)


class CardTable(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a double-up on the display; `open` while the player may still choose among `choices`.

    `cards` are the turned cards, newest first; `won` is the result of the latest guess. `credited_cents` are the halves
    taken.
    """

    open: bool = True
    choices: tuple[int, ...] = ()
    round: int = 0
    rounds: int = 0
    at_risk_cents: int = 0
    credited_cents: int = 0
    cards: tuple[str, ...] = ()
    won: bool | None = None

    @property
    def begun(self) -> bool:
        """Whether the player has guessed or taken half; before that the reels still show the win."""
        return bool(self.cards or self.credited_cents)


def table_after(table: CardTable | None, step: DoubleUp | CardTurned | Halved | DoubleUpEnded) -> CardTable:
    """Fold one step of a double-up into its table, which is None before the first step."""
    known = table or CardTable()
    replace = msgspec.structs.replace
    match step:
        case DoubleUp():
            return replace(
                known,
                open=True,
                choices=step.choices,
                round=step.round,
                rounds=step.rounds,
                at_risk_cents=step.at_risk_cents,
                cards=step.cards,
            )
        case CardTurned():
            at_risk = known.at_risk_cents + step.cents
            return replace(known, at_risk_cents=at_risk, cards=(step.card, *known.cards), won=step.won)
        case Halved():
            credited = known.credited_cents + step.credited_cents
            return replace(known, at_risk_cents=step.left_cents, credited_cents=credited)
        case DoubleUpEnded():
            return replace(known, open=False, choices=())
