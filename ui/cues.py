"""Plays the sounds that belong to events on the screen; the sound player is injected."""

from typing import Protocol

import msgspec

from ui.acts import (
    Act,
    CardAct,
    CardsEndedAct,
    FreeSpinsAct,
    HalvedAct,
    JackpotAct,
    OpenAct,
    PicksWonAct,
    SpinAct,
    TotalAct,
    WinsAct,
)
from ui.cascade_acts import CascadeAct
from ui.climb import Climb, Size
from ui.director import Director
from ui.protocol.values import Volumes

NOTE_CENTS = 500
"""The lowest banknote; if the credit grows by less, it came from a coin."""

_WINS = {
    Size.SMALL: "line_win_small",
    Size.MEDIUM: "line_win_medium",
    Size.LARGE: "line_win_large",
    Size.BIG: "big_win",
    Size.HUGE: "huge_win",
    Size.MEGA: "mega_win",
}
_LAST_HIT = "last_hit"
"""Played when the last digit of a big win falls into place."""
PLAIN = "reel_stop"
"""The plain tone of a win that is not celebrated."""
_MOST_SCATTERS = 5
_MOST_CASCADES = 5
"""The highest number of a burst, and of a multiplier step, with its own sound."""
_PLAYING = frozenset({"idle", "round", "offer", "gamble_offer", "gamble", "replay", "confirm", "lowest_bet"})
_PAGES = frozenset(
    {"paytable", "menu", "settings", "history", "autospin", "session", "reality_check", "loss_limit", "break"}
)
"""A game's music plays in the states of `_PLAYING` and `_PAGES`; a wipe sounds only in those of `_PLAYING`."""
_SAMPLES = {"wins": "line_win_small", "game": "reel_stop", "overall": "line_win_small"}
"""The sample played when a volume is being chosen; background music plays anyway."""
_CARDS = "double_up"
"""The scene during which the base game's music continues."""


class Player(Protocol):
    """The part of `ui.sound.Sound` that the cues use."""

    muted: bool
    world: str
    volumes: Volumes

    def play(self, name: str) -> None:
        """Play a sound once."""

    def loop(self, names: frozenset[str]) -> None:
        """Loop exactly these sounds."""

    def test(self, channel: str, percent: int) -> None:
        """Play the test sound on `left`, `right` or `both`."""


class Cues:
    """Follows the director frame by frame and plays the sounds that are due."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self._act: Act | None = None
        self._card_heard = False
        self._climbed = Size.LARGE
        self._hit = False
        """Whether the last hit of a big win was played."""
        self._scene: tuple[str, str, str] | None = None
        self._stopped = 0
        """How many reels of the spin have stopped."""
        self._landed = 0
        """How many reels of the cascade have landed."""
        self._cascaded = 0
        """How many of a cascade's two sounds, burst and multiplier step, were played."""
        self._waiting: int | None = None
        """The reel that the anticipation was last played for."""
        self._state = ""
        self._alarms: frozenset[tuple[str, str]] = frozenset()
        self._credit: int | None = None
        self._paid = 0
        self._tested: int | None = None
        """The number of the newest test sound so far; None until the first linked frame."""

    def pressed(self) -> None:
        """Play the sound of a touched live control."""
        self._player.play("button")

    def follow(self, director: Director, now: float, demonstrated: Director | None = None) -> None:
        """Play what is due at `now`; in attract's demonstration, the sounds of its director `demonstrated`."""
        self._player.muted = director.view.output.muted
        self._volumes(director)
        shown = demonstrated or director
        self._player.world = "" if shown.theme is None else shown.theme.world
        act = None if shown.performance is None or shown.halted else shown.performance.act
        if act is not self._act:
            self._act, self._stopped, self._waiting, self._card_heard = act, 0, None, False
            self._climbed, self._hit, self._landed, self._cascaded = Size.LARGE, False, 0, 0
            if act is not None and _is_plain_win(act):
                self._player.play(PLAIN)
            else:
                self._begin(act)
        if isinstance(act, SpinAct):
            self._reels(act, now)
        if isinstance(act, CascadeAct):
            self._cascade(act, now)
        if act is not None and act.climb is not None:
            self._climb(act.climb, now - act.began)
        if isinstance(act, CardAct) and not self._card_heard and act.turned(now) >= 1:
            self._card_heard = True
            won = PLAIN if act.plain else "card_won"
            self._player.play(won if act.won else "card_lost")
        self._passage(shown)
        self._state_changed(director)
        self._alarm(director)
        self._money(director)
        self._test(director)
        self._player.loop(self._loops(shown, act, now) | self._ringing(director))

    def _begin(self, act: Act | None) -> None:
        match act:
            case WinsAct():
                self._player.play(_WINS[min(act.size, Size.LARGE)])
            case FreeSpinsAct() | PicksWonAct():
                self._player.play("feature_start")
            case OpenAct():
                self._player.play("chest_open")
            case CardAct():
                self._player.play("card_flip")
            case HalvedAct():
                self._player.play("halve")
            case CardsEndedAct(total_cents=total_cents) if total_cents:
                self._player.play("line_win_medium")
            case JackpotAct():
                self._player.play("jackpot")
            case TotalAct():
                self._player.play("line_win_large")
            case Act(sound=sound) if sound:
                self._player.play(sound)

    def _climb(self, climb: Climb, elapsed: float) -> None:
        """Announce each size that a big win reaches, and its last hit; a win cut short has only its last hit."""
        reached = climb.reached(elapsed)
        if reached > self._climbed and climb.cut_at is None:
            self._player.play(_WINS[reached])
        self._climbed = reached
        if elapsed >= climb.hit_at and not self._hit:
            self._hit = True
            self._player.play(_LAST_HIT)

    def _reels(self, act: SpinAct, now: float) -> None:
        """Sound each stop, higher with each landed symbol that can still lead to a feature, and each wait."""
        called = act.anticipation.called
        while self._stopped < len(act.spin.stop_at) and act.spin.stop_at[self._stopped] <= now:
            if self._stopped not in act.spin.locked:
                self._player.play("reel_stop")
            if called[self._stopped]:
                landed = sum(map(len, called[: self._stopped + 1]))
                self._player.play(f"scatter_{min(_MOST_SCATTERS, landed)}")
            self._stopped += 1
        waiting = act.spin.waiting_reel(now)
        if waiting != self._waiting and waiting is not None:
            self._player.play("anticipation")
        self._waiting = waiting

    def _cascade(self, act: CascadeAct, now: float) -> None:
        """Sound bursts, the multiplier step that was reached, and reels whose symbols have landed."""
        due = ["burst", "step"][: 1 + act.falling(now)]
        for sound in due[self._cascaded :]:
            if not act.plain and (sound == "burst" or act.raises):
                self._player.play(f"{sound}_{min(_MOST_CASCADES, act.number)}")
        self._cascaded = len(due)
        if act.landed(now) > self._landed:
            self._landed = act.landed(now)
            self._player.play("fall")

    def _passage(self, director: Director) -> None:
        """Sound the wipe from one scene of a game to another."""
        shown = director.scene_key if director.view.state in _PLAYING else None
        before, self._scene = self._scene, shown
        if before is not None and shown is not None and before[0] == shown[0] and before != shown:
            self._player.play("transition")

    def _state_changed(self, director: Director) -> None:
        state = director.view.state
        if state == self._state:
            return
        self._state = state
        if state in ("handpay", "large_win"):
            self._player.play("attendant_call")

    def _alarm(self, director: Director) -> None:
        """Sound the alarm at once for each new door or attempt to cheat (D2, D8)."""
        alarms = frozenset((notice.code, notice.place) for notice in director.view.notices if notice.alarm)
        if alarms - self._alarms:
            self._player.play("door_alarm")
        self._alarms = alarms

    @staticmethod
    def _ringing(director: Director) -> frozenset[str]:
        """Return the alarm while one lasts and no key has silenced it."""
        rings = any(notice.alarm and not notice.silenced for notice in director.view.notices)
        return frozenset({"door_alarm"} if rings else ())

    def _volumes(self, director: Director) -> None:
        """Set the volumes, and play a sample of the one that is being chosen."""
        output, before = director.view.output, self._player.volumes
        loudest = output.volumes.overall * output.loudest_percent // 100
        volumes = msgspec.structs.replace(output.volumes, overall=loudest)
        self._player.volumes = volumes
        if volumes != before and director.view.state == self._state == "settings":
            sample = _SAMPLES.get(director.view.focus.removeprefix("volume:"))
            if sample is not None:
                self._player.play(sample)

    def _money(self, director: Director) -> None:
        """Sound money in; the credit that a win adds has its own sounds."""
        balance = director.view.balance
        if self._credit is not None and director.performance is None and not director.view.round.win_cents:
            gained = balance.credit_cents - self._credit
            if gained > 0:
                self._player.play("note_in" if gained >= NOTE_CENTS else "coin_in")
        self._credit = balance.credit_cents
        paid = balance.payout.paid_cents if balance.payout is not None else 0
        if paid > self._paid:
            self._player.play("cash_out")
        self._paid = paid

    def _test(self, director: Director) -> None:
        """Play a new test sound once; sounds from before this display started are not played."""
        page = director.view.pages.service
        sound = None if page is None else page.sound
        number = 0 if sound is None else sound.number
        if sound is not None and self._tested is not None and number > self._tested:
            self._player.test(sound.channel, sound.volume)
        if director.linked:
            self._tested = number

    @staticmethod
    def _loops(director: Director, act: Act | None, now: float) -> frozenset[str]:
        loops: set[str] = set()
        picture = director.picture
        if isinstance(act, SpinAct):
            loops.add("reel_spin")
        elif act is not None and act.climb is not None:
            if now < act.began + act.climb.hit_at:
                loops.add("win_music")
        elif act is not None and act.rolling(now):
            loops.add("roll_up")
        theme = director.theme
        if theme is not None and picture is not None and director.view.state in _PLAYING | _PAGES:
            scene = theme.scene_of(picture, act, director.offer)
            base = "free_spins_music" if picture.free else "background"
            featured = picture.locked or scene not in ("", _CARDS)
            loops.add("feature_music" if featured else base)
        return frozenset(loops)


def _is_plain_win(act: Act) -> bool:
    """Whether an act shows a win that is not to be celebrated."""
    pays = bool(act.coins or act.cents) and not isinstance(act, CardAct)  # a card is won when it has turned
    return act.plain and (pays or isinstance(act, TotalAct))
