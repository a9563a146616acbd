"""A.5, H.1: past rounds and the open one, each with its figures and a link to its recall (L1 to L3)."""

from collections.abc import Sequence

from controller.journal.accounts import Account, Money, account
from controller.journal.recoveries import interrupted_rounds
from controller.journal.rounds import RecordedSegment, Wager, recorded_round, rounds_before
from controller.journal.search import ROUNDS
from controller.journal.transaction import Transaction
from controller.service.lists import MOST, Entries, listed
from controller.service.page import Line, Page, RecallRound, Tone, of_books
from gamekit import catalogue
from gamekit.catalogue import load
from gamekit.play import Game
from gamekit.ways_scene import ways_of
from ui.protocol.values import Bet, moment

BEFORE, DURING = "before the round", "during the round"
NAMES = {
    "coin": "Coin",
    "note": "Note",
    "hopper": "Hopper",
    "hopper_coin": "Hopper",
    "hand_pay": "Hand-pay",
    "ticket": "Ticket",
    "payout_held": "Held from a payout",
    "held_released": "Held and released",
    "host_in": "Host",
    "host_out": "Host",
    "ticket_in": "Ticket",
    "ticket_out": "Ticket",
    "open_item": "Open items",
}
"""The labels of the ledger's kinds of money."""
UNLIKE = "Played with other mathematics: it cannot be shown on the reels"
OPEN, SETTLED, VOID = "open", "settled", "void"
STATES = (OPEN, SETTLED, VOID)
"""The states of a round."""
INTERRUPTED = "interrupted"
"""A settled round that was interrupted by a power cut (H.6)."""
HEADINGS = ("State", "Stake", "Win")
COLUMNS = Line("Played at, game", columns=HEADINGS, tone="heading")
NONE_YET = "No game was played yet"
DRAWS_A_LINE = 8
MOST_OF_STEPS = 190
"""The most lines for the steps of a round; a longer one lists only its last steps (L2: at least 50)."""


def entries(tx: Transaction, before: int) -> Entries:
    """Return the rounds, newest first: state, stake and win, each with a link to its page."""
    played = rounds_before(tx, before, MOST)
    interrupted = interrupted_rounds(tx, played[-1].id) if played else frozenset()
    return [
        (
            each.id,
            Line(
                f"{moment(each.started_ms)}   {title_of(each.game)}",
                columns=(
                    INTERRUPTED if each.state == SETTLED and each.id in interrupted else each.state,
                    each.stake_cents,
                    each.win_cents,
                ),
                tone=_tone(each.state, each.win_cents),
                leads=round_page(each.id),
            ),
        )
        for each in played
    ]


def _tone(state: str, win_cents: int) -> Tone:
    """Return the tone of a round's line: void rounds and wins are marked."""
    if state == VOID:
        return "bad"
    return "good" if win_cents else "plain"


def round_page(number: int) -> Page:
    """Return the page of a round."""
    return of_books(f"H.1.{number}", "Round", lambda tx: _round_lines(tx, number))


def title_of(game: str) -> str:
    """Return the title of a game, or its name if this program does not have it."""
    return load(game).title if game in catalogue.names() else game


def bet_lines(game: Game | None, bet: Bet) -> tuple[Line, Line]:
    """Return the lines of the bet: lines and coins per line, or ways and coins in a game without lines."""
    ways = 0 if game is None else ways_of(game)
    if ways:
        return Line("Ways", count=ways), Line("Coins", count=bet.coins, cents=bet.coin_value_cents)
    return Line("Lines", count=bet.lines), Line("Coins per line", count=bet.coins_per_line, cents=bet.coin_value_cents)


def money_lines(summary: Account) -> Sequence[Line]:
    """Return the money before and during a round, by source (L3)."""
    return [*_money(summary.since, BEFORE), *_money(summary.meanwhile, DURING)]


def _money(moved: Sequence[Money], when: str) -> Sequence[Line]:
    return [Line(NAMES.get(kind, kind), when, cents=cents) for kind, cents in moved]


def _round_lines(tx: Transaction, number: int) -> Sequence[Line]:
    """Return a round's stake, its draws, answers and wins in order, and the credit before and after (L2, L3)."""
    played, summary = recorded_round(tx, number), account(tx, number)
    wager = played.wager
    lines = [
        Line("Show it on the reels", leads=RecallRound(number)) if _shows(wager) else Line(UNLIKE, tone="bad"),
        Line(title_of(wager.game), moment(summary.started_ms), tone="heading"),
        *money_lines(summary),
        Line("Credit before", cents=summary.credit_before_cents),
        *bet_lines(load(wager.game) if wager.game in catalogue.names() else None, wager.bet),
        Line("Stake", cents=wager.stake_cents),
    ]
    if wager.gamble_cap_cents is not None:
        lines.append(Line("Highest gamble", cents=wager.gamble_cap_cents))
    steps = [_step(place, segment, summary) for place, segment in enumerate(played.segments)]
    while sum(map(len, steps)) > MOST_OF_STEPS:
        steps.pop(0)  # the recall shows all of them
    lines += [line for step in steps for line in step]
    lines.append(Line("Round", summary.state, cents=played.win_cents, tone="heading"))
    if summary.credit_after_cents is not None:
        lines.append(Line("Credit after", cents=summary.credit_after_cents))
    if number in interrupted_rounds(tx, number):
        lines.append(Line("This round was interrupted", leads="H.6"))
    if summary.void_reason:
        lines.append(Line("Void because", summary.void_reason, tone="bad"))
    return lines


def _step(place: int, segment: RecordedSegment, summary: Account) -> Sequence[Line]:
    """Return the lines of a segment: the answer before it, its draws, and its win."""
    lines = [Line("Step {place}", cents=segment.win_cents, tone="heading", place=str(place + 1))]
    if place in summary.jackpots_cents:
        lines.append(Line("Jackpot", cents=summary.jackpots_cents[place]))
    elif segment.answer is not None:
        lines.append(Line("Answer", count=segment.answer))
    for first in range(0, len(segment.draws), DRAWS_A_LINE):
        drawn = segment.draws[first : first + DRAWS_A_LINE]
        lines.append(Line("Draw", "  ".join(f"{value}/{bound}" for bound, value in drawn)))
    return lines


def _shows(wager: Wager) -> bool:
    """Whether this program has the mathematics that the round was played with."""
    if wager.game not in catalogue.names():
        return False
    game = load(wager.game)
    return (wager.maths_version, wager.maths_hash) == (game.maths_version, game.maths_hash)


PAGES = (
    listed("A.5", "Recall of past rounds", entries, numbers=ROUNDS, empty=NONE_YET, columns=COLUMNS),
    listed("H.1", "Rounds", entries, numbers=ROUNDS, empty=NONE_YET, columns=COLUMNS),
)
