"""The demo's story without a screen: from a banknote to a cash-out, through a crash and a mains cut."""

from collections.abc import Callable

from controller.demo.books import RoundInBooks
from controller.demo.scripted_player import Hand, StoryError, euros, is_idle, is_in_lobby, is_playing
from controller.demo.settings import HOPPER_COIN_CENTS
from drivers.simulated.front import Front

_MOST_SPINS = 80
_MOST_TRIES = 20
_NEXT_TRY_S = 0.5
_DARK_S = 1.0
_TURNING_FRAMES = 15
_FEATURE_S = 120.0
_PICTURED_PART = 2
_CRASH_PART = 4
_RESUMING_S = 0.5
_LOADED_S = 1.5
"""A first picture that has stood for so long is no longer the one that is shown while the art is loaded."""


def play(hand: Hand) -> None:
    """Play the whole story; raises `StoryError` where the cabinet does not do what it must."""
    boot(hand)
    first_note(hand)
    spins_until_win(hand)
    crash_in_mid_spin(hand)
    mains_cut_with_note(hand)
    feature(hand)
    cash_out(hand)


def boot(hand: Hand) -> None:
    """The cabinet comes up and shows its attract screen."""
    hand.until("the display shows its first frame", lambda: hand.frame > 0, 30)
    hand.until_front("SPIN is lit", lambda front: front.lamps["spin"], 30)
    hand.still_picture("attract", rest_s=_LOADED_S)
    hand.tell("The cabinet is on, waiting for money.")
    last = hand.books.last_round
    if last is not None and last.state == "open":
        hand.tell(f"Spin {last.id} of an earlier demo was interrupted.")
        play_through(hand, last.id)


def first_note(hand: Hand) -> None:
    """A banknote becomes credit."""
    insert(hand, 2000)
    shown = hand.until_front("the lobby or the game is open", lambda front: is_in_lobby(front) or is_idle(front))
    if is_in_lobby(shown):
        hand.still_picture("lobby")
        shown_frame = hand.frame
        hand.open_game()
        hand.until("another picture is shown", lambda: hand.frame > shown_frame, 30)
    hand.until_front("the game is open", is_idle)
    hand.still_picture("note-credited", rest_s=_LOADED_S)


def insert(hand: Hand, cents: int) -> None:
    """Insert a note and wait until it is credited."""
    before, stacked = hand.books.credit_cents, hand.client.front.stacked_cents
    push_in(hand, cents, lambda front: front.stacked_cents == stacked + cents)
    hand.until("the note is credited", lambda: hand.books.credit_cents == before + cents)
    credit = euros(hand.books.credit_cents)
    hand.tell(f"A note of {euros(cents)} is inserted, stacked and credited: credit {credit}.")


def push_in(hand: Hand, cents: int, taken: Callable[[Front], bool]) -> None:
    """Push a note in until the front shows it `taken`: a validator that is not yet ready gives it back."""
    for _ in range(_MOST_TRIES):
        hand.client.do(f"note {cents // 100}")
        front = hand.until_front("the note is taken or given back", lambda now: taken(now) or _given_back(now))
        if taken(front):
            return
        hand.client.do("take note")
        hand.pause(_NEXT_TRY_S)
    raise StoryError(f"a note of {cents} cents was given back {_MOST_TRIES} times; the front shows {hand.client.front}")


def _given_back(front: Front) -> bool:
    return front.bill_return_cents > 0


def spin(hand: Hand, *, picture: str = "") -> RoundInBooks:
    """Play one round that asks nothing, or return at its first question; take a `picture` of the turning reels."""
    begun = _begin_pictured(hand, picture)
    if begun.state == "open":
        return begun
    hand.until_idle()
    _told_round(hand, begun)
    return begun


def _begin_pictured(hand: Hand, picture: str) -> RoundInBooks:
    """Begin a round; with a `picture`, one that a busy machine showed to its end already is followed by another."""
    for _ in range(_MOST_TRIES):
        _enough_credit(hand)
        begun = hand.begin_round()
        if not picture:
            return begun
        hand.until_frames(_TURNING_FRAMES)
        if is_playing(hand.client.front):
            hand.picture(picture)
            return begun
        if begun.state == "open":
            play_through(hand, begun.id)
        else:
            hand.until_idle()
    raise StoryError(f"{_MOST_TRIES} rounds were over before their reels were seen turning")


def _enough_credit(hand: Hand) -> None:
    last = hand.books.last_round
    if last is not None and hand.books.credit_cents < 2 * last.stake_cents:
        insert(hand, 2000)


def _told_round(hand: Hand, played: RoundInBooks) -> None:
    credit = euros(hand.books.credit_cents)
    win = f"wins {euros(played.win_cents)}" if played.win_cents else "wins nothing"
    hand.tell(f"Spin {played.id}: stake {euros(played.stake_cents)}, {win}, credit {credit}.")


def spins_until_win(hand: Hand) -> None:
    """Spin until a spin wins more than it cost; a picture with turning reels and one of the win."""
    for number in range(_MOST_SPINS):
        begun = spin(hand, picture="" if number else "reels-turning")
        if begun.state == "open":
            hand.tell("A feature comes before the first win; it is played through.")
            play_through(hand, begun.id)
        elif begun.win_cents > begun.stake_cents:
            hand.picture("win")
            return
    raise StoryError(f"no win in {_MOST_SPINS} spins; choose another --seed")


def crash_in_mid_spin(hand: Hand) -> None:
    """SIGKILL while the reels turn: the round is in the books once, and its outcome comes back on the screen."""
    begun = _begin_pictured(hand, "before-the-crash")
    owed = hand.books.credit_cents
    hand.tell(
        f"Spin {begun.id} turns (stake {euros(begun.stake_cents)}, in the books already) when supervisor and display "
        "are killed with SIGKILL."
    )
    crash(hand)
    if begun.state == "open":
        play_through(hand, begun.id)
    hand.until_idle(patient=True)
    hand.still_picture("after-the-crash")
    settled = _newest(hand)
    if settled.id != begun.id or settled.state != "settled":
        raise StoryError(f"round {begun.id} should be settled after the crash, the books show {settled}")
    if begun.state == "settled" and (settled.win_cents, hand.books.credit_cents) != (begun.win_cents, owed):
        raise StoryError(
            f"round {begun.id} should have won {begun.win_cents} cents as before, the books show {settled}"
        )
    hand.tell(
        f"Both are back: spin {settled.id} won {euros(settled.win_cents)}, once, and the credit is "
        f"{euros(hand.books.credit_cents)}."
    )


def mains_cut_with_note(hand: Hand) -> None:
    """The power of everything fails while a note lies in escrow; nothing is lost and nothing counted twice."""
    cents, before, stacked = 1000, hand.books.credit_cents, hand.client.front.stacked_cents
    push_in(hand, cents, lambda front: front.escrow_cents == cents)
    hand.client.do("mains off")
    hand.tell(f"A note of {euros(cents)} lies in escrow when the mains fail: everything is dark.")
    hand.until("the glass goes dark", lambda: not hand.glass.alive())
    hand.pause(_DARK_S)
    hand.client.do("mains on")
    hand.until("the display is back", lambda: hand.frame > 0, 20)
    hand.until("the note's fate is decided", lambda: _decided(hand, stacked + cents), 60)
    hand.until_idle(60, patient=True)
    hand.still_picture("after-the-mains-cut")
    credit, front = hand.books.credit_cents, hand.client.front
    if credit == before + cents:
        fate = "is stacked and credited, once"
    elif credit == before and _given_back(front):
        hand.client.do("take note")
        fate = "is given back, and nothing was credited"
    elif credit == before and hand.books.open_items:
        fate = "is an open item that the attendant sees"
    else:
        raise StoryError(f"the note of {cents} cents is lost or doubled: credit {before} → {credit}, {front}")
    hand.tell(f"Power is back: the note {fate}; credit {euros(credit)}.")


def _decided(hand: Hand, stacked_cents: int) -> bool:
    front, note = hand.client.front, hand.books.last_note
    at_rest = not front.escrow_cents and (_given_back(front) or front.stacked_cents == stacked_cents)
    return at_rest and note is not None and note[1] not in ("stacking", "credited")


def feature(hand: Hand) -> None:
    """Spin until the game asks the player something, and play that through."""
    for _ in range(_MOST_SPINS):
        begun = spin(hand)
        if begun.state == "open":
            play_through(hand, begun.id, crash_at=_CRASH_PART)
            return
    raise StoryError(f"no feature in {_MOST_SPINS} spins; choose another --seed")


def play_through(hand: Hand, round_id: int, *, crash_at: int | None = None) -> None:
    """Answer a round's offers with SPIN, the first choice of each, until it is settled.

    With `crash_at` supervisor and display are killed once so many of its parts are durable.
    """
    hand.tell(f"Spin {round_id} starts a feature, having won {euros(_newest(hand).win_cents)} so far.")
    # SPIN is lit without a break while something is shown, and blinks while the player is asked.
    hand.until_front("the player is asked to go on", lambda front: not front.lamps["spin"], 40)
    hand.still_picture("feature-offered")
    to_come = {_PICTURED_PART: lambda: hand.still_picture("feature")}
    if crash_at is not None:
        to_come[crash_at] = lambda: crash_in_feature(hand)

    def look() -> None:
        act = to_come.pop(_newest(hand).segments, None)
        if act is not None:
            act()

    hand.press_until_idle(_FEATURE_S, look)
    hand.still_picture("feature-won")
    last = hand.books.round(round_id)
    if last is None or last.state != "settled":
        raise StoryError(f"round {round_id} should be settled, the books show {last}")
    hand.tell(
        f"Spin {round_id} is over after {last.segments} parts: it won {euros(last.win_cents)}, "
        f"credit {euros(hand.books.credit_cents)}."
    )


def crash_in_feature(hand: Hand) -> None:
    """SIGKILL in the middle of an open round: it resumes at the part that was last durable, with the same win."""
    before = _newest(hand)
    crash(hand)
    hand.pause(_RESUMING_S)
    hand.picture("resuming")
    after = _newest(hand)
    if after != before:
        raise StoryError(f"the books showed {before} before the crash, and {after} after it")
    hand.tell(
        f"Killed in part {before.segments} of spin {before.id}, with {euros(before.win_cents)} won: "
        "it resumes at that part, with that win."
    )


def crash(hand: Hand) -> None:
    """Press the crash button, and wait until supervisor and display are back."""
    hand.client.do("crash")
    hand.until("the glass goes dark", lambda: not hand.glass.alive())
    hand.until("the display is back", lambda: hand.frame > 0, 20)


def _newest(hand: Hand) -> RoundInBooks:
    last = hand.books.last_round
    if last is None:
        raise StoryError("no round stands in the books")
    return last


def cash_out(hand: Hand) -> None:
    """COLLECT: coins from the hopper, what it cannot pay from the attendant's hand; less than a coin stays."""
    owed, tray = hand.books.credit_cents, hand.client.front.tray_cents
    hand.press("collect")
    hand.until_front("coins fall into the tray", lambda front: front.tray_cents - tray > owed // 3, 60)
    hand.picture("cash-out")
    hand.until("the hopper has paid", lambda: _hopper_done(hand), 120)
    paid = hand.client.front.tray_cents - tray
    hand.tell(f"COLLECT: the hopper pays {euros(paid)} of {euros(owed)} in coins.")
    if hand.books.credit_cents >= HOPPER_COIN_CENTS:
        hand.until("the rest is a hand-pay", lambda: _hand_pay(hand))
        hand.until_front("the attendant is awaited", lambda front: front.lamps["collect"])
        hand.still_picture("hand-pay")
        rest = hand.books.credit_cents
        hand.turn_key("attendant")
        hand.until("the hand-pay is confirmed", lambda: hand.books.credit_cents == 0)
        hand.tell(f"The attendant pays the remaining {euros(rest)} and confirms it with the key.")
    if hand.books.credit_cents:
        hand.tell("What is left is less than one coin of the hopper, and stays as credit.")
    hand.tell(f"The credit is {euros(hand.books.credit_cents)}.")


def _hopper_done(hand: Hand) -> bool:
    payout = hand.books.last_payout
    return payout is not None and (payout.kind != "hopper" or payout.state != "open")


def _hand_pay(hand: Hand) -> bool:
    payout = hand.books.last_payout
    return payout is not None and payout.kind == "hand_pay" and payout.state == "open"
