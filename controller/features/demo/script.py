"""The demo's story without a screen: from a banknote to a cash-out, with a crash and a power cut in between."""

from collections.abc import Callable

from controller.features.demo.books import RoundInBooks
from controller.features.demo.scripted_player import ScriptedPlayer, StoryError, euros, is_idle, is_in_lobby, is_playing
from controller.features.demo.settings import HOPPER_COIN_CENTS, RECYCLED_CENTS
from drivers.simulated.front import Front

_MOST_SPINS = 80
_MOST_TRIES = 20
_NEXT_TRY_S = 0.5
_KEY_S = 2.0
_DARK_S = 1.0
_TURNING_FRAMES = 15
_FEATURE_S = 120.0
_PICTURED_PART = 2
_CRASH_PART = 4
_RESUMING_S = 0.5
_LOADED_S = 1.5
"""Seconds without a change after which a picture is not the loading screen."""


def play(player: ScriptedPlayer) -> None:
    """Play the whole story; raise `StoryError` if the cabinet does not behave as expected."""
    boot(player)
    first_note(player)
    spins_until_win(player)
    crash_in_mid_spin(player)
    mains_cut_with_note(player)
    feature(player)
    cash_out(player)


def boot(player: ScriptedPlayer) -> None:
    """Wait until the cabinet shows its attract screen."""
    player.until("the display shows its first frame", lambda: player.frame > 0, 30)
    player.until_front("SPIN is lit", lambda front: front.lamps["spin"], 30)
    player.until_loaded()
    player.still_picture("attract", rest_s=_LOADED_S)
    player.report("The cabinet is on, waiting for money.")
    last = player.books.last_round
    if last is not None and last.state == "open":
        player.report(f"Spin {last.id} of an earlier demo was interrupted.")
        play_through(player, last.id)


def first_note(player: ScriptedPlayer) -> None:
    """Insert the first banknote."""
    attract_frame = player.frame
    insert(player, 2000)
    shown = player.until_front("the lobby or the game is open", lambda front: is_in_lobby(front) or is_idle(front))
    if is_in_lobby(shown):
        player.until("the lobby is drawn", lambda: player.frame > attract_frame, 30)
        player.still_picture("lobby")
        shown_frame = player.frame
        player.open_game()
        player.until("another picture is shown", lambda: player.frame > shown_frame, 30)
    player.until_front("the game is open", is_idle)
    player.still_picture("note-credited", rest_s=_LOADED_S)


def insert(player: ScriptedPlayer, cents: int) -> None:
    """Insert a note and wait until it is credited."""
    before, kept = player.books.credit_cents, _kept(player.client.front)
    push_in(player, cents, lambda front: _kept(front) > kept)
    player.until("the note is credited", lambda: player.books.credit_cents == before + cents)
    credit = euros(player.books.credit_cents)
    where = "stored" if player.client.front.recycles else "stacked"
    player.report(f"A note of {euros(cents)} is inserted, {where} and credited: credit {credit}.")


def push_in(player: ScriptedPlayer, cents: int, taken: Callable[[Front], bool]) -> None:
    """Insert a note until the front shows it `taken`: a validator that is not ready returns it."""
    for _ in range(_MOST_TRIES):
        player.client.do(f"note {cents // 100}")
        front = player.until_front("the note is taken or given back", lambda now: taken(now) or _given_back(now))
        if taken(front):
            return
        player.client.do("take note")
        player.pause(_NEXT_TRY_S)
    raise StoryError(
        f"a note of {cents} cents was given back {_MOST_TRIES} times; the front shows {player.client.front}"
    )


def _kept(front: Front) -> int:
    """Return a figure that rises with each accepted note: the cents in the cash box plus the notes in a recycler."""
    return front.stacked_cents + (front.hopper_coins if front.recycles else 0)


def _given_back(front: Front) -> bool:
    return front.bill_return_cents > 0


def spin(player: ScriptedPlayer, *, picture: str = "") -> RoundInBooks:
    """Play one round, or return at its first question; take a `picture` of the turning reels."""
    begun = _begin_pictured(player, picture)
    if begun.state == "open":
        return begun
    player.until_idle()
    _report_round(player, begun)
    return begun


def _begin_pictured(player: ScriptedPlayer, picture: str) -> RoundInBooks:
    """Begin a round; if a busy machine has already finished showing it, begin another for the `picture`."""
    for _ in range(_MOST_TRIES):
        _enough_credit(player)
        begun = player.begin_round()
        if not picture:
            return begun
        player.until_frames(_TURNING_FRAMES)
        if is_playing(player.client.front):
            player.picture(picture)
            return begun
        if begun.state == "open":
            play_through(player, begun.id)
        else:
            player.until_idle()
    raise StoryError(f"{_MOST_TRIES} rounds were over before their reels were seen turning")


def _enough_credit(player: ScriptedPlayer) -> None:
    last = player.books.last_round
    if last is not None and player.books.credit_cents < 2 * last.stake_cents:
        insert(player, 2000)


def _report_round(player: ScriptedPlayer, played: RoundInBooks) -> None:
    credit = euros(player.books.credit_cents)
    win = f"wins {euros(played.win_cents)}" if played.win_cents else "wins nothing"
    player.report(f"Spin {played.id}: stake {euros(played.stake_cents)}, {win}, credit {credit}.")


def spins_until_win(player: ScriptedPlayer) -> None:
    """Spin until a spin wins more than its stake; take pictures of turning reels and of the win."""
    for number in range(_MOST_SPINS):
        begun = spin(player, picture="" if number else "reels-turning")
        if begun.state == "open":
            player.report("A feature comes before the first win; it is played through.")
            play_through(player, begun.id)
        elif begun.win_cents > begun.stake_cents:
            player.picture("win")
            return
    raise StoryError(f"no win in {_MOST_SPINS} spins; choose another --seed")


def crash_in_mid_spin(player: ScriptedPlayer) -> None:
    """Kill supervisor and display while the reels turn; the round is recorded once, and its outcome is shown again."""
    begun = _begin_pictured(player, "before-the-crash")
    owed = player.books.credit_cents
    player.report(
        f"Spin {begun.id} turns (stake {euros(begun.stake_cents)}, in the books already) when supervisor and display "
        "are killed with SIGKILL."
    )
    crash(player)
    if begun.state == "open":
        play_through(player, begun.id)
    player.until_idle(patient=True)
    player.still_picture("after-the-crash", rest_s=_LOADED_S)
    settled = _newest(player)
    if settled.id != begun.id or settled.state != "settled":
        raise StoryError(f"round {begun.id} should be settled after the crash, the books show {settled}")
    if begun.state == "settled" and (settled.win_cents, player.books.credit_cents) != (begun.win_cents, owed):
        raise StoryError(
            f"round {begun.id} should have won {begun.win_cents} cents as before, the books show {settled}"
        )
    player.report(
        f"Both are back: spin {settled.id} won {euros(settled.win_cents)}, once, and the credit is "
        f"{euros(player.books.credit_cents)}."
    )


def mains_cut_with_note(player: ScriptedPlayer) -> None:
    """Cut the power with a note in escrow: nothing is lost or counted twice."""
    cents, before, kept = 1000, player.books.credit_cents, _kept(player.client.front)
    push_in(player, cents, lambda front: front.escrow_cents == cents)
    player.client.do("mains off")
    player.report(f"A note of {euros(cents)} lies in escrow when the mains fail: everything is dark.")
    player.until("the glass goes dark", lambda: not player.mirror.alive())
    player.pause(_DARK_S)
    player.client.do("mains on")
    player.until("the display is back", lambda: player.frame > 0, 20)
    player.until("the note's fate is decided", lambda: _decided(player, kept), 60)
    player.until_idle(60, patient=True)
    player.until_loaded()
    player.still_picture("after-the-mains-cut", rest_s=_LOADED_S)
    credit, front = player.books.credit_cents, player.client.front
    if credit == before + cents:
        fate = f"is {'stored' if front.recycles else 'stacked'} and credited, once"
    elif credit == before and _given_back(front):
        player.client.do("take note")
        fate = "is given back, and nothing was credited"
    elif credit == before and player.books.open_items:
        fate = "is an open item that the attendant sees"
    else:
        raise StoryError(f"the note of {cents} cents is lost or doubled: credit {before} → {credit}, {front}")
    player.report(f"Power is back: the note {fate}; credit {euros(credit)}.")


def _decided(player: ScriptedPlayer, kept: int) -> bool:
    front, note = player.client.front, player.books.last_note
    at_rest = not front.escrow_cents and (_given_back(front) or _kept(front) > kept)
    return at_rest and note is not None and note[1] not in ("stacking", "credited")


def feature(player: ScriptedPlayer) -> None:
    """Spin until the game offers a choice, and play the feature through."""
    for _ in range(_MOST_SPINS):
        begun = spin(player)
        if begun.state == "open":
            play_through(player, begun.id, crash_at=_CRASH_PART)
            return
    raise StoryError(f"no feature in {_MOST_SPINS} spins; choose another --seed")


def play_through(player: ScriptedPlayer, round_id: int, *, crash_at: int | None = None) -> None:
    """Answer a round's offers with SPIN, the first choice of each, until it is settled.

    With `crash_at`, supervisor and display are killed once that many segments are durable.
    """
    player.report(f"Spin {round_id} starts a feature, having won {euros(_newest(player).win_cents)} so far.")
    # SPIN is lit steadily during a show, and blinks at an offer.
    player.until_front("the player is asked to go on", lambda front: not front.lamps["spin"], 40)
    player.still_picture("feature-offered")
    to_come = {_PICTURED_PART: lambda: player.still_picture("feature")}
    if crash_at is not None:
        to_come[crash_at] = lambda: crash_in_feature(player)

    def look() -> None:
        act = to_come.pop(_newest(player).segments, None)
        if act is not None:
            act()

    player.press_until_idle(_FEATURE_S, look)
    player.still_picture("feature-won")
    last = player.books.round(round_id)
    if last is None or last.state != "settled":
        raise StoryError(f"round {round_id} should be settled, the books show {last}")
    player.report(
        f"Spin {round_id} is over after {last.segments} parts: it won {euros(last.win_cents)}, "
        f"credit {euros(player.books.credit_cents)}."
    )


def crash_in_feature(player: ScriptedPlayer) -> None:
    """Kill supervisor and display in an open round: it resumes after its last durable segment, with the same win."""
    before = _newest(player)
    crash(player)
    player.pause(_RESUMING_S)
    player.picture("resuming")
    after = _newest(player)
    if after != before:
        raise StoryError(f"the books showed {before} before the crash, and {after} after it")
    player.report(
        f"Killed in part {before.segments} of spin {before.id}, with {euros(before.win_cents)} won: "
        "it resumes at that part, with that win."
    )


def crash(player: ScriptedPlayer) -> None:
    """Press the crash button, and wait until supervisor and display are back."""
    player.client.do("crash")
    player.until("the glass goes dark", lambda: not player.mirror.alive())
    player.until("the display is back", lambda: player.frame > 0, 20)
    player.until_front("the supervisor is back", lambda front: any(front.lamps.values()), 30)
    player.until_loaded()


def _newest(player: ScriptedPlayer) -> RoundInBooks:
    last = player.books.last_round
    if last is None:
        raise StoryError("no round is in the books")
    return last


def cash_out(player: ScriptedPlayer) -> None:
    """Press COLLECT: the hopper pays coins or notes, the attendant the rest; less than one piece stays as credit."""
    player.until_idle(patient=True)  # a late press of SPIN may have begun another round
    owed, tray = player.books.credit_cents, player.client.front.tray_cents
    piece, unit = ("note", RECYCLED_CENTS) if player.client.front.recycles else ("coin", HOPPER_COIN_CENTS)
    player.begin_payout()
    player.until(
        f"{piece}s fall into the tray, or there are none to pay it with",
        lambda: player.client.front.tray_cents - tray > owed // 3 or (piece == "note" and _hopper_done(player)),
        60,
    )
    player.picture("cash-out")
    player.until("the hopper has paid", lambda: _hopper_done(player), 120)
    paid = player.client.front.tray_cents - tray
    player.report(f"COLLECT: the hopper pays {euros(paid)} of {euros(owed)} in {piece}s.")
    if player.books.credit_cents >= unit:
        player.until("the rest is a hand-pay", lambda: _hand_pay(player))
        if piece == "coin":
            player.until_front("the attendant is awaited", lambda front: front.lamps["collect"])
        player.still_picture("hand-pay")
        rest = player.books.credit_cents
        player.turn_key("attendant")
        player.pause(_KEY_S)
        if player.books.credit_cents:
            player.turn_key("attendant")  # the first turn cleared the fault that the recycler has too few notes
        player.until("the hand-pay is confirmed", lambda: player.books.credit_cents == 0)
        player.report(f"The attendant pays the remaining {euros(rest)} and confirms it with the key.")
    if player.books.credit_cents:
        player.report(f"What is left is less than one {piece} of the hopper, and stays as credit.")
    player.report(f"The credit is {euros(player.books.credit_cents)}.")


def _hopper_done(player: ScriptedPlayer) -> bool:
    payout = player.books.last_payout
    return payout is not None and (payout.kind != "hopper" or payout.state != "open")


def _hand_pay(player: ScriptedPlayer) -> bool:
    payout = player.books.last_payout
    return payout is not None and payout.kind == "hand_pay" and payout.state == "open"
