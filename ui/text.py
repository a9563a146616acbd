# ruff: noqa: RUF001  the multiplication sign is meant, no letter
"""Every English text of the display, in one place, looked up in gettext's catalogue when it is shown."""

from collections.abc import Mapping
from gettext import NullTranslations

from ui.protocol.messages import Notice, View
from ui.protocol.values import USUAL_DATES, Money, Paid, Payout, dated, grouped, written
from ui.protocol.view_parts import Balance, Jackpot

CREDIT = "CREDIT"
BET = "BET"
WIN = "WIN"
ABSENT_HOURS = 120
"""The powered-on hours without its player after which a round is finished automatically, as every game's rules say."""
WIN_OF_BET = "WIN  ·  LAST BET {bet}"
COIN = "{number} coin"
COINS = "{number} coins"
LINE_COUNT = "{number} line"
LINES_COUNT = "{number} lines"
WAY_COUNT = "{number} way"
WAYS_COUNT = "{number} ways"
BET_OF = "{lines} × {coins}"
COIN_VALUE = "COIN VALUE"
COIN_VALUE_SHORT = "COIN"
LINES = "LINES"
WAYS = "WAYS"
LINE_BET = "LINE BET"
INSERT_MONEY = "INSERT COINS OR NOTES"
INSERT_COINS = "INSERT COINS"
INSERT_NOTES = "INSERT NOTES"
NO_MONEY_NOW = "NO COINS OR NOTES AT THE MOMENT"
PRESS_SPIN = "Press SPIN to play"
CHOOSE_GAME = "Choose your game"
TOUCH_A_GAME = "Touch a picture, or press SPIN"
GOOD_LUCK = "Good luck!"
BET_RANGE = "{lowest} to {highest} a spin"
DEMONSTRATION = "DEMONSTRATION"
JACKPOT_OF = "JACKPOT {amount}"
JACKPOT_ANY_BET = "any bet with coins of {coin}"
JACKPOT_HIGHEST_BET = "only {lines} lines × {coins} coins of {coin}"
LINE_WIN = "Line {line} · {count} × {symbol} · {coins} · {amount}"
LINE_WIN_TIMES = "Line {line} · {count} × {symbol} · × {times} · {coins} · {amount}"
WAYS_WIN = "{count} × {symbol} · {ways} · {coins} · {amount}"
WAYS_WIN_TIMES = "{count} × {symbol} · {ways} · × {times} · {coins} · {amount}"
SCATTER_WIN = "{count} × {symbol} · {coins} · {amount}"
CASCADE = "{number} cascade"
CASCADES = "{number} cascades"
CASCADE_PAYS = "Wins now pay × {times}"
CHAIN_WON = "{cascades}: you have won {amount}"
WON = "You have won {amount}"
SHOWN_WIN = "Win {amount}"
"""The words that replace it in a demonstration, in which nobody has won."""
SHOWN_CHAIN = "{cascades}: {amount}"
RESUMED = "Your game has been resumed"
DEMO_MODE = "DEMO MODE: no money is taken or paid"
RECONNECTING = "One moment, please: your game and your credit are recorded"

FREE_SPINS = "FREE SPINS"
FREE_SPIN_OF = "FREE SPIN {number} OF {total}"
FREE_SPIN_LEFT = "{number} FREE SPIN LEFT"
FREE_SPINS_LEFT = "{number} FREE SPINS LEFT"
FREE_SPINS_TIMES = "LINE WINS × {times}"
FREE_CASCADES = "CASCADES  {steps}"
FREE_SPINS_WIN = "FREE SPINS WIN"
FREE_SPINS_START = "PRESS SPIN TO START THE FREE SPINS"
FREE_SPINS_TOTAL = "{spins} free spins have paid"
TREASURE_WON = "TREASURE! {count} CHESTS TO OPEN"
PICK_CHEST = "OPEN A CHEST"
PICK_LEFT = "{number} chest left to open"
PICKS_LEFT = "{number} chests left to open"
PICK_BUTTONS = "Touch a chest, or move with LINES and BET and open with SPIN"
TREASURE_TOTAL = "THE TREASURE PAYS"

BANNERS = {
    "jackpot": "JACKPOT",
    "won": "WIN",
    "big_win": "BIG WIN",
    "huge_win": "HUGE WIN",
    "mega_win": "MEGA WIN",
    "total_win": "TOTAL WIN",
}
"""The words of a banner if the game's world has no picture of it."""

GAMBLE_OR_SPIN = "GAMBLE (MAX BET): double {amount} or lose it  ·  SPIN: collect it and play"
GAMBLE_OR_COLLECT = "GAMBLE (MAX BET): double {amount} or lose it  ·  SPIN: collect it"
DOUBLE_UP = "DOUBLE OR NOTHING"
GUESS_OF = "Red or black? Guess {round} of at most {rounds}"
GUESSED = "Your guess: {colour}"
CARD_RED = "RED"
CARD_BLACK = "BLACK"
CARD_RIGHT = "RIGHT!"
CARD_WRONG = "NOT THIS TIME"
CARD_WON = "You win another {amount}"
AT_RISK = "AT RISK"
RIGHT_GUESS = "A RIGHT GUESS MAKES IT"
HALVE = "HALVE"
HALVED = "{amount} have gone to your credit"
TAKE_WIN = "COLLECT"
CREDITS = "{amount} to the credit"
CARDS_BEFORE = "THE CARDS BEFORE, NEWEST FIRST"
CARD_BUTTONS = "Touch, or use the buttons: LINES, BET: move  ·  SPIN: take  ·  COLLECT: collect"

SERVICE_UP = "LINES  ·  UP"
SERVICE_DOWN = "BET  ·  DOWN"
SERVICE_PAGE_UP = "INFO  ·  PAGE UP"
SERVICE_PAGE_DOWN = "MAX BET  ·  PAGE DOWN"
SERVICE_TO_LAST = "INFO  ·  LAST ROW"
SERVICE_TO_FIRST = "MAX BET  ·  FIRST ROW"
SERVICE_ENTER = "SPIN  ·  ENTER"
SERVICE_BACK = "COLLECT  ·  BACK"
SERVICE_RUB_OUT = "COLLECT  ·  RUB OUT"
SERVICE_DONE = "DONE"
SERVICE_RUB = "RUB OUT"
SERVICE_LEAVE = "BACK"
SERVICE_PAD = ("LINES  ·  {chosen}", "BET  ·  {chosen}", "SPIN  ·  {chosen}", "COLLECT  ·  {chosen}")
SERVICE_OTHERS = "OTHER DIGITS"
SERVICE_REST = "0, DONE, BACK"
SERVICE_CODE = "AUTO  ·  CODE"
SERVICE_CODE_TOUCH = "CODE"
SERVICE_SPACE = "SPACE"
SERVICE_TEST = "TEST"
SERVICE_NO = "NO"
SERVICE_YES = "YES"
RECALL = "RECALL  ·  ROUND {number}"
RECALL_STATES = {"open": "still open", "void": "VOID: the stake was returned"}
RECALL_NO_MONEY = "No money came or went around this round"
RECALL_RULES = "AUTO  ·  RULES"
RECALL_FIRST = "INFO  ·  FIRST"
RECALL_BEFORE = "LINES  ·  ONE BACK"
RECALL_NEXT = "BET  ·  NEXT"
RECALL_LAST = "MAX BET  ·  LAST"
RECALL_AGAIN = "SPIN  ·  AGAIN"
RECALL_LEAVE = "COLLECT  ·  LEAVE"
TEST_WINDOW = "TEST  ·  CHOSEN STOPS"
TEST_NOTHING_DRAWN = "Nothing is drawn, staked or paid"
TEST_NO_LINE = "No line wins"
TEST_TEN_BACK = "INFO  ·  TEN BACK"
TEST_ONE_BACK = "LINES  ·  ONE BACK"
TEST_ONE_ON = "BET  ·  ONE ON"
TEST_TEN_ON = "MAX BET  ·  TEN ON"
TEST_NEXT_REEL = "SPIN  ·  NEXT REEL"
TEST_LEAVE = "COLLECT  ·  LEAVE"

VOLUMES = "VOLUMES"
VOLUME_WINS = "Wins"
VOLUME_GAME = "Game"
VOLUME_BACKGROUND = "Background"
VOLUME_OVERALL = "Overall"
VOLUME_HINT = "LINES, BET: move  ·  MAX BET: louder  ·  INFO: softer  ·  SPIN: save  ·  COLLECT, AUTO: cancel"
SAVE = "SAVE"
CANCEL = "CANCEL"
HISTORY = "PAST ROUNDS"
NO_HISTORY = "No round has been played yet"
NO_HISTORY_HINT = "INFO, COLLECT: close"
HISTORY_HINT = "Touch a round to see it again  ·  LINES, BET: move  ·  SPIN: show  ·  COLLECT: close"
PAST_ROUND = "Round {number}  ·  {game}"
PAST_PAID = "bet {bet}   ·   won {won}"
PAST_VOID = "bet {bet} returned: void"
REPLAY = "ROUND {number} OF {when}, SHOWN AGAIN"
REPLAY_LEAVE = "touch here or press COLLECT to leave"
MENU = "MENU"
MENU_HINT = "LINES, BET: move  ·  SPIN: choose  ·  INFO, COLLECT: close"
BUY_FEATURE = "BUY FEATURE"
TURBO = "TURBO"
SOUND = "SOUND"
OTHER_GAMES = "OTHER GAMES"
MOMENT = "{day} {time}"
LAST_ROUND = "Last round, {when}:  {outcome}"
NOT_ENOUGH = "NOT ENOUGH CREDIT"
LOWEST_BET_ASK = "Your credit is too low for this bet.\nSet the lowest bet instead?"
SET_LOWEST = "SET BET: {amount}"
KEEP_BET = "KEEP MY BET"
LOWEST_BET_HINT = "SPIN: yes, without spinning yet  ·  COLLECT: no"

AUTO_TITLE = "AUTOSPIN"
AUTO_SPINS = "Number of spins"
AUTO_LOSS_LIMIT = "Loss limit"
AUTO_SINGLE_WIN = "Stop if a win reaches"
AUTO_ON_JACKPOT = "Stop when the jackpot is won"
AUTO_ON_FEATURE = "Stop when a feature is won"
AUTO_NO_LIMIT = "no limit"
AUTO_HINT = "LINES, BET: move  ·  MAX BET: more  ·  INFO: less  ·  SPIN: start  ·  AUTO, COLLECT: cancel"
AUTO_PAD_HINT = "0: no limit  ·  SPIN: OK  ·  AUTO, COLLECT: cancel"
AUTO_START = "START"
AUTO_CANCEL = "CANCEL"
AUTO_CLEAR = "CLEAR"
AUTO_OK = "OK"
AUTO_STOP = "STOP AUTO"
AUTO_LEFT = "AUTO {left} of {of} · press AUTO to STOP"
ON = "ON"
OFF = "OFF"

SESSION = "YOUR SESSION"
SESSION_TIME = "Time"
SESSION_IN = "Money in"
SESSION_OUT = "Money out"
SESSION_NET = "Wins less stakes"
NET = "net {amount}"
LOSS_LIMIT = "Loss limit"
LOSS_LIMIT_TITLE = "LOSS LIMIT"
LOSS_LIMIT_ASK = (
    "How much may you lose in this session?\n"
    "No stake is taken that could lose more. You can lower it later, not raise it."
)
LOSS_LIMIT_HINT = "LINES: less  ·  BET: more  ·  SPIN: set it  ·  COLLECT: pay out"
LOSS_LIMIT_TAKE = "SET IT"
LOSS_LIMIT_SET = "LOSS LIMIT"
REALITY_CHECK = "REALITY CHECK"
REALITY_CHECK_ASK = "This is what you have played so far.\nDo you want to go on?"
REALITY_CHECK_HINT = "LINES, BET: move  ·  SPIN: choose  ·  COLLECT: pay out"
GO_ON = "GO ON"
PAY_OUT = "PAY OUT"
BREAK = "BREAK"
BREAK_OF = "{minutes} MIN BREAK"
BREAK_SAYS = (
    "Nothing is played and no money is taken for {minutes} more minutes.\nYour credit stays yours: COLLECT pays it out."
)
BREAK_HINT = "COLLECT: pay out"

COLLECTING = "PAYING OUT"
COLLECT_PAID = "Paid {paid} of {amount}"
COLLECT_TAKE = "Please take your coins from the tray"
TICKET_PRINTING = "Your ticket is being printed"
TICKET_TAKE = "Please take your ticket"
HANDPAY = "HAND-PAY"
HANDPAY_CALL = "CALL ATTENDANT"
HANDPAY_WAIT = "An attendant pays you by hand. Please stay at the machine."
HANDPAY_DONE = "PAID BY HAND"
HANDPAY_WHOLE = "{coins} in coins  ·  {hand} by hand  ·  {amount} in all"
TICKET_WHOLE = "{coins} in coins  ·  {ticket} on a ticket  ·  {amount} in all"
HANDPAY_KEY = "Attendant: pay, then turn the attendant key"

HOPPER_AWAY = "The hopper does not answer. The payout goes on as soon as it does."
HOPPER_COUNTED = "Waiting for the hopper, to stop it and count its coins"
KEY_STOPS = "Attendant: the key stops the payout; the rest is then paid by hand"
KEY_SOON = "Attendant: if it stays silent, the key ends the payout in {seconds} s"
KEY_ENDS = "Attendant: turn the key to have {hand} paid by hand"
KEY_HOLDS = "Attendant: turn the key to end the payout: {hand} by hand, {held} held"
HELD = "{amount} held until the hopper has been counted"
RESIDUE = "{amount} stays as credit: less than one coin of the hopper"

PAID_OUT = "Paid out: {amount}"
PAID_IN_PARTS = "Paid out: {parts}, {amount} in all"
IN_COINS = "{amount} in coins"
ON_TICKET = "{amount} on a ticket"
BY_HAND = "{amount} by hand"

LARGE_WIN = "LARGE WIN"
LARGE_WIN_TEXT = "It is in your credit. An attendant has to see it before the game goes on."
LARGE_WIN_KEY = "Attendant: check the win, then turn the attendant key"

BOOTING = "STARTING"
BOOTING_TEXT = "The machine is checking its books and its devices. This takes a moment."
RECOVERING = "RESUMING YOUR GAME"
RECOVERING_TEXT = "Your game goes on exactly where it was."
TILTED = "PLEASE WAIT"
TILTED_TEXT = "The game is stopped and goes on where it was as soon as this is put right."
LOCKED = "MACHINE LOCKED"
LOCKED_TEXT = "No money can be played. A technician must look at this machine."
OUT_OF_SERVICE = "OUT OF SERVICE"
OUT_OF_SERVICE_TEXT = "This machine is closed. Please play at another one."
SERVICE = "SERVICE"
SERVICE_TEXT = "This machine is being serviced."
DOOR_OPEN = "DOOR OPEN"
CREDIT_SAFE = "Your credit of {credit} is safe."
CREDIT_ASK = "Please ask the staff about your credit."
WHO = "To be put right by: {who}"
CALL_ATTENDANT = "CALL ATTENDANT"

PAYTABLE = "PAYTABLE"
WIN_UP_TO = "Win up to {amount} (1 in {one_in})"
WIN_UP_TO_ONLY = "Win up to {amount}"
AT_BET_ODDS = "with a bet of {bet} (1 in {one_in})"
PAYTABLE_MONEY = "What a line pays at your bet"
PAYTABLE_WAYS = "What each way pays at your bet"
PAYTABLE_MERMAIDS = "What is paid at your bet · Mermaids pay anywhere"
PAYTABLE_COINS = "Coins for each coin on a line"
PAYTABLE_COINS_BET = "Coins at a bet of {coins} coins"
PAYTABLE_TIMES = "×: times the total bet"
PAYTABLE_BONUS = "3 or more on a line from reel 1: open the treasure"
PAGE_OF = "{page} / {pages}"
RULES = "RULES"
RULES_EDITION = "Rules version {version}, {since}"
SHORTCUTS = "THE BUTTONS"
SHORTCUTS_FOOT = "Each of them can be touched on the screen as well."
SHORTCUT_SPIN = (
    "SPIN: plays. While reels turn or a win is shown it hurries them, where the house allows it. On pages and among "
    "choices it takes what is lit."
)
SHORTCUT_LINES = "LINES: more lines, and after the most the fewest. On pages and among choices it goes back."
SHORTCUT_LESS = "LINES: the next lower bet. On pages and among choices it goes back."
SHORTCUT_BET = "BET: more coins on each line, and after the most the fewest. On pages and among choices it goes on."
SHORTCUT_MORE = "BET: the next higher bet, and after the highest the lowest. On pages and among choices it goes on."
SHORTCUT_MAX_BET = "MAX BET: chooses the highest bet that the credit covers. It does not spin."
SHORTCUT_GAMBLE = "GAMBLE: MAX BET, while a win may be gambled."
SHORTCUT_CHOICE = "MAX BET: on these pages it chooses the other of the two below."
SHORTCUT_AUTO = "AUTO: the settings of autospin, where the house offers it. While autospin plays it ends it."
SHORTCUT_INFO = "INFO: these pages; from them it opens the menu, where no win waits."
SHORTCUT_COLLECT = (
    "COLLECT: pays the credit out. On pages and in questions it goes back, at the cards it takes the win."
)
SHORTCUT_BACK = "COLLECT: pays the credit out. On pages and in questions it goes back."
SHORTCUT_SERVICE = "SERVICE: calls the attendant."
PAYLINES = "THE {lines} LINES"
PAYLINES_FIXED = "All lines are always played. They pay from left to right, beginning on reel 1."
WAYS_TITLE = "{ways} WAYS"
WAYS_OF = "{places} = {ways}"
WAYS_FOOT = "A way takes one symbol from each reel, wherever it is, without a gap from reel 1 on."
PAYLINES_FOOT = "With 5 lines you play lines 1 to 5, and so on. All pay from left to right, beginning on reel 1."
CLOSE = "BACK TO THE GAME"

MESSAGES = {
    "not_enough_credit": "Not enough credit for this bet: press SPIN for the lowest one",
    "residue_stays": "Less than one coin of the hopper: it stays as credit to play with",
    "credit_below_lowest_bet": "Not enough credit for any bet of this game",
    "max_bet": "MAX BET: {bet} a spin  ·  SPIN plays it",
    "max_bet_covered": "The highest bet that your credit covers: {bet} a spin  ·  SPIN plays it",
    "max_bet_beyond": "MAX BET: {bet} a spin  ·  more than your credit",
    "history_unavailable": "This round cannot be shown: it was played with another version of the game",
    "game_unfit": "This game cannot be shown: it is being finished by fair draws and paid to the credit",
    "history_differs": "This round cannot be shown: its record does not lead to what was played",
    "autospin_played_out": "Autospin: all spins are played",
    "autospin_by_player": "Autospin stopped",
    "autospin_loss_limit": "Autospin stopped: another spin might pass your loss limit",
    "autospin_single_win": "Autospin stopped: the win you chose is reached",
    "autospin_jackpot": "Autospin stopped: you have won the jackpot",
    "autospin_feature": "Autospin stopped: you have won a feature",
    "autospin_credit": "Autospin stopped: not enough credit for this bet",
    "autospin_held": "Autospin stopped",
    "limit_reached": "Another stake might pass your loss limit: no more is staked in this session",
    "recall_choice": "Here an answer was asked for",
    "autospin_interrupted": "Autospin stopped: the game was interrupted",
    "autospin_closed": "Autospin stopped: the jackpot is out of reach",
    "venue_unreached": "The jackpot is out of reach for the moment: the other games go on",
    "venue_pool_closed": "This jackpot is closed for the moment: the other games go on",
    "venue_trouble": "This machine plays for no jackpot now: please call the attendant",
    "venue_left": "This jackpot waits for the venue: please call the attendant",
}
"""The words for a view's `message` that is a code."""


class _Voice:
    """The current language: the player's catalogue, and the cabinet's format of numbers."""

    catalogue = NullTranslations()
    money = Money()
    dates = USUAL_DATES


_VOICE = _Voice()


def speak(catalogue: NullTranslations, money: Money, dates: str = USUAL_DATES) -> None:
    """Use `catalogue` for all texts from here on, `money` for numbers and `dates` for days."""
    _VOICE.catalogue, _VOICE.money, _VOICE.dates = catalogue, money, dates


def message(view: View) -> str:
    """Return a view's message in the player's language; a message that is not a code is returned unchanged."""
    if view.message not in MESSAGES:
        return view.message
    bet = "" if view.bet is None else amount(view.bet.cents)
    return say(MESSAGES[view.message], bet=bet)


def won_with(jackpot: Jackpot) -> str:
    """Return the words for the bet that wins a jackpot."""
    coin = amount(jackpot.coin_value_cents)
    if not jackpot.lines:
        return say(JACKPOT_ANY_BET, coin=coin)
    return say(JACKPOT_HIGHEST_BET, lines=jackpot.lines, coins=jackpot.coins_per_line, coin=coin)


CLOSED_TILE = {
    "venue_unreached": "Jackpot out of reach",
    "venue_pool_closed": "Jackpot closed",
    "venue_trouble": "Jackpot closed: call the attendant",
    "venue_left": "Jackpot closed: call the attendant",
}
"""The words on a game's tile that replace the bet of its jackpot while it is not played for."""


def call_for_money(view: View) -> str:
    """Return the request for money, by the kinds of money that the machine currently accepts."""
    if view.balance.accepts_coins and view.balance.accepts_notes:
        return say(INSERT_MONEY)
    if view.balance.accepts_coins:
        return say(INSERT_COINS)
    if view.balance.accepts_notes:
        return say(INSERT_NOTES)
    return say(NO_MONEY_NOW) if view.state in ("attract", "lobby", "idle") else ""


def notice(notice: Notice) -> str:
    """Return a notice in the player's language; without a translation it is shown unchanged."""
    translated = _VOICE.catalogue.gettext(notice.template) if notice.template else ""
    if translated == notice.template:  # English, or no translation: `text` is complete, including a lock's exact cause
        return notice.text
    return translated.format(place=say(notice.place) if notice.place else "")


def translate(words: str, place: str = "") -> str:
    """Return words of the service menu in the reader's language, with their `{place}`; unknown words stay unchanged."""
    known = day(_VOICE.catalogue.gettext(words)) if words else ""
    return known.replace("{place}", translate(place)) if place else known


def outcome(template: str, figures: Mapping[str, str | int], place: str = "") -> str:
    """Return a text of the service menu with its figures; those ending in `_cents` are amounts, texts are translated.

    A `{place}` is filled in wherever it occurs, also in texts among the figures.
    """
    if not figures:
        return translate(template)
    filled = {"place": "{place}"}
    for name, value in figures.items():
        if isinstance(value, str):
            filled[name] = translate(value)
        else:
            filled[name] = amount(value) if name.endswith("_cents") else whole(value)
    words = translate(template).format(**filled)
    return words.replace("{place}", translate(place)) if "{place}" in words else words


def cash_out(payout: Payout) -> str:
    """Return the words for a whole cash-out of which an attendant or a ticket pays a part."""
    coins, rest = payout.coins_cents, payout.amount_cents
    template = TICKET_WHOLE if payout.by == "printer" else HANDPAY_WHOLE
    return say(template, amount=amount(coins + rest), coins=amount(coins), hand=amount(rest), ticket=amount(rest))


def hopper_away(payout: Payout) -> tuple[str, str]:
    """Return what a hopper that does not answer means for the player, and what the attendant can do about it."""
    hand, held = amount(payout.hand_cents), amount(payout.held_cents)
    counted = payout.hopper == "counted"
    if payout.key_in_s == 0:
        key = say(KEY_HOLDS if payout.held_cents else KEY_ENDS, hand=hand, held=held)
    else:
        key = say(KEY_SOON, seconds=payout.key_in_s) if counted else say(KEY_STOPS)
    return say(HOPPER_COUNTED if counted else HOPPER_AWAY), key


def money_out(balance: Balance) -> str:
    """Return the result of a cash-out: paid, left as credit, held; empty if there was none."""
    said = [paid(balance.paid)] if paid(balance.paid) else []
    if said and balance.residue_cents and not balance.held_cents:
        said.append(say(RESIDUE, amount=amount(balance.residue_cents)))
    if balance.held_cents:
        said.append(held(balance))
    return "  ·  ".join(said)


def held(balance: Balance) -> str:
    """Return the words for the held part of a payout whose whereabouts are unknown."""
    return say(HELD, amount=amount(balance.held_cents))


def paid(paid: Paid) -> str:
    """Return the words for what was paid out since the last play, empty if nothing was."""
    parts = ((IN_COINS, paid.coins_cents), (ON_TICKET, paid.ticket_cents), (BY_HAND, paid.hand_cents))
    given = [say(words, amount=amount(cents)) for words, cents in parts if cents]
    whole_cents = paid.coins_cents + paid.ticket_cents + paid.hand_cents
    if len(given) > 1:
        return say(PAID_IN_PARTS, parts=", ".join(given), amount=amount(whole_cents))
    return say(PAID_OUT, amount=amount(whole_cents)) if whole_cents else ""


def say(template: str, **figures: object) -> str:
    """Return `template` in the player's language with its figures filled in."""
    return _VOICE.catalogue.gettext(template).format(**figures)


def count(one: str, many: str, number: int, thousands: str = "") -> str:
    """Return `one` or `many`, as the language requires for `number`, with the number filled in."""
    return _VOICE.catalogue.ngettext(one, many, number).format(number=grouped(number, thousands))


def whole(number: int) -> str:
    """Return a whole number in the cabinet's format: `10,000,016`."""
    return grouped(number, _VOICE.money.thousands)


def decimal(figure: str) -> str:
    """Return a decimal fraction, given with a point, in the cabinet's format."""
    return figure.replace(".", _VOICE.money.decimal)


def elapsed(seconds: int) -> str:
    """Return a length of time as hours, minutes and seconds: `2:07:09`."""
    minutes, seconds = divmod(seconds, 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"


def moment(when: str) -> str:
    """Return a time of the books (`2026-11-21 23:36`) in the cabinet's format."""
    date, _, time = when.partition(" ")
    return say(MOMENT, day=day(date), time=time)


def day(words: str) -> str:
    """Return `words` with the day of the books at their start (`2026-11-22`) in the cabinet's format."""
    return dated(words, _VOICE.dates)


def amount(cents: int) -> str:
    """Return cents in the cabinet's money format."""
    return written(cents, _VOICE.money)
