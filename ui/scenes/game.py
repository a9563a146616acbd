"""A game's screen: reels, lines, wins, features over the reels, and the HUD."""

import pygame

from gamekit.beats import Continue
from ui import text
from ui.acts import Act, FreeSpinsAct, JackpotAct, PicksWonAct, SpinAct, TotalAct, WinsAct
from ui.cascade_acts import CascadeAct, ChainAct, WaysAct
from ui.director import Director
from ui.draw_context import Control, DrawContext, pill, put, put_centred
from ui.layout import Layout, centre
from ui.lettering import GOLD, TITLE, WHITE
from ui.picture import Picture
from ui.promises import win_up_to
from ui.protocol.messages import View
from ui.protocol.values import written
from ui.protocol.view_parts import ShownRound
from ui.reels import Pin, draw_reels
from ui.scenes.cascade import CascadeShow
from ui.scenes.game_overlay import scenes_of
from ui.scenes.hud import Hud
from ui.scenes.life import Life, living
from ui.scenes.lines import Paylines
from ui.scenes.message_line import beside_prompt, current, lasting, message_or_lasting, prompt_due
from ui.scenes.pay_glass import PayGlass
from ui.scenes.state_overlay import STATES
from ui.scenes.symbols import LivingSymbols
from ui.scenes.wins import WinShow
from ui.stage import Stage
from ui.theme import Headline, Theme, shown

CALLS_AFTER_S = 6.0
"""Seconds after which an idle game calls with SPIN, which is lit for a third of `CALL_S`, again and again."""
CALL_S = 1.8
KEPT_GROUNDS = 2
"""The number of cached backgrounds with their frame: the current one and the previous one. One takes 10 ms to paint."""


class GameScreen:
    """The main screen of the game that `theme` describes."""

    def __init__(self, context: DrawContext, theme: Theme) -> None:
        self._context = context
        self._theme = theme
        self._world = context.world(theme)
        self._on_reels = context.on_reels(theme)
        self._world.fetch(context.cut(self._world, "background"))
        self._on_reels.fetch("frame")
        context.world(theme, context.layout.signs.logo_zoom).fetch("logo")
        self._hud = Hud(context)
        self._layout = context.layout
        self._window = context.layout.window(theme.game.rows)
        self._overlay = scenes_of(theme).overlay(context)
        glass = context.layout.signs.pay_glass if self._overlay.pay_glass else None
        self._pay_glass = None if glass is None else PayGlass(context, theme, glass)
        self._lines = Paylines(context, theme)
        self._wins = WinShow(context, theme, self._lines)
        self._cascade = CascadeShow(context, theme)
        self._symbols = LivingSymbols(context, theme)
        self._cells = context.cells(theme)
        self._grounds: dict[tuple[str, bool, bool], pygame.Surface] = {}
        self._lip = _Lip(self._on_reels.sprite("frame"), context.scale, context.layout)
        self._life = Life(context.layout, living(theme, context.layout))
        self._unmade = sorted(name for name in theme.symbols if f"{name}_blur" in self._world)
        self._plate: pygame.Surface | None = None
        self._plate_key: tuple[object, ...] = ()

    def prepare(self, director: Director) -> bool:
        """Create one cell that the first spin or win will need; return whether there may be more to make."""
        picture = director.picture
        if not self._unmade or picture is None:
            return False
        self._cells.of(picture).make(self._unmade[-1])
        self._unmade.pop()  # not before: its atlas may still be decoding
        return True

    def controls(self, director: Director) -> list[Control]:
        """Return the game's own controls and the HUD's buttons."""
        return [*self._overlay.controls(director), *self._hud.controls()]

    def due(self, director: Director, now: float) -> float:
        """Return when the next frame is due: every frame during a performance; shown wins then blink slowly."""
        if director.performance is not None and not director.performance.ended:
            return now
        picture = director.picture
        due = min(self._hud.due(now), self._overlay.due(director, now), self._shown_life(director, now))
        if self._pay_glass is not None and director.view.bet is not None:
            due = min(due, self._pay_glass.due(now))
        if isinstance(director.offer, Continue):
            return min(prompt_due(director, now), due)
        if (picture is not None and picture.won) or _gamble_or_spin(director):
            return min(self._wins.due(now), due)
        return due

    def _lives(self, director: Director) -> bool:
        """Whether decorative motion is shown: not on a past round, and not while the computer is hot."""
        return director.view.past.replay is None and not self._context.calm

    def _shown_life(self, director: Director, now: float) -> float:
        """Return when decorative motion is drawn next; infinity without any."""
        if not self._lives(director) or not (self._life or self._calls(director) or self._rests(director)):
            return float("inf")
        return self._life.due(now)

    @staticmethod
    def _rests(director: Director) -> bool:
        """Whether the reels are at rest: nothing is performed, won or asked."""
        picture = director.picture
        return (
            director.view.state == "idle"
            and director.offer is None
            and director.performance is None
            and picture is not None
            and not picture.won
        )

    @staticmethod
    def _calls(director: Director) -> bool:
        """Whether SPIN may call: in an idle game that a press would play."""
        return director.view.state == "idle" and director.linked and "spin" in director.view.controls

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the screen."""
        picture = director.picture
        if picture is None:
            picture = self._theme.picture(self._theme.game.idle)
        act = None if director.performance is None else director.performance.act
        unshown = act.unshown(now) if isinstance(act, WinsAct) else 0
        headline = None if self._under_ribbon(director) else self._theme.headline(picture, director.view, unshown)
        stage.begin(self._backdrop(director, picture, titled=headline is not None), self._window)
        if not self._covered(director, picture, act):
            self._reels(stage, picture, act, now)
        if headline is not None:
            self._headline(stage, headline)
        if self._pay_glass is not None:
            self._pay_glass.draw(stage, director.view, now)
        words, gold = self._over_reels(stage, director, picture, act, now)
        if self._lives(director):
            if self._rests(director):
                self._symbols.resting(stage, picture, now - director.picture_since)
            self._life.draw(stage, self._world, now)
        self._overlay.draw(stage, director, picture, act, now)
        special = self._overlay.words(director, picture, act, now)
        self._hud.draw(stage, director, now)
        waited = now - director.picture_since - CALLS_AFTER_S
        if self._lives(director) and self._calls(director) and waited >= 0 and waited % CALL_S < CALL_S / 3:
            self._hud.draw_lit(stage, "spin", director)
        if director.view.state not in STATES:
            self._hud.message(stage, special or words, gold=gold or bool(special))

    def _under_ribbon(self, director: Director) -> bool:
        """Whether the player's ribbon over a past round covers the position of the logo or the headline."""
        view = director.view
        return view.past.replay is not None and view.pages.service is None and not self._layout.signs.ribbon_rise

    def _covered(self, director: Director, picture: Picture, act: Act | None) -> bool:
        """Whether something covers the whole window, so that the reels below need not be drawn."""
        if act is not None:
            shown = isinstance(act, WinsAct | PicksWonAct | FreeSpinsAct | TotalAct | JackpotAct | CascadeAct)
            return shown or self._overlay.covers(act)
        if isinstance(director.offer, Continue):
            return _starts_free_spins(picture)
        return picture.won

    def _backdrop(self, director: Director, picture: Picture, *, titled: bool) -> pygame.Surface:
        bet = director.view.bet
        scenery, named = self._theme.scenery(picture), not self._under_ribbon(director)
        key = (scenery, titled, named, self._hud.key(director), self._overlay.key(director))
        if self._plate is None or key != self._plate_key:
            plate = self._ground(scenery, titled=titled, named=named).copy()
            self._lines.paint_badges(plate, bet.lines if bet else len(self._theme.lines))
            if self._pay_glass is not None:
                self._pay_glass.paint(plate, director.view)
            self._overlay.paint(plate, director)
            self._hud.paint(plate, director)
            self._plate, self._plate_key = plate, key
        return self._plate

    def _ground(self, scenery: str, *, titled: bool, named: bool) -> pygame.Surface:
        """Return background, frame and logo, or the headline's plate, which do not change within a mode."""
        key = (scenery, titled, named)
        if key not in self._grounds:
            self._grounds[key] = self._context.budget.spend(lambda: self._painted(scenery, titled=titled, named=named))
            if len(self._grounds) > KEPT_GROUNDS:
                del self._grounds[next(iter(self._grounds))]
        return self._grounds[key]

    def _painted(self, scenery: str, *, titled: bool, named: bool) -> pygame.Surface:
        layout, scale = self._layout, self._context.scale
        plate = self._context.scenery(self._world, scenery if scenery in self._world else "background")
        put(plate, self._on_reels.sprite("frame"), scale, *layout.frame)
        if titled:
            put_centred(plate, pill(layout.headline[2:], scale), scale, *centre(layout.headline))
        elif named:
            logo = self._context.world(self._theme, layout.signs.logo_zoom).sprite("logo")
            put(plate, logo, scale, *layout.logo[:2])
        put_centred(plate, pill(layout.hud.message[2:], scale), scale, *centre(layout.hud.message))
        return plate

    def _reels(self, stage: Stage, picture: Picture, act: Act | None, now: float) -> None:
        cells, strips = self._cells.of(picture), self._theme.strips(picture)
        if isinstance(act, SpinAct):
            places = [act.spin.position(reel, now) for reel in range(len(strips))]
            pins = act.pins(now)
        else:
            places = [(float(stop), False) for stop in picture.stops]
            pins = list(map(Pin, picture.stops, shown(self._theme, picture)))
        waiting = act.spin.waiting_reel(now) if isinstance(act, SpinAct) else None
        dimmed = () if waiting is None else range(waiting)
        draw_reels(stage, self._window, cells, strips=strips, pins=pins, places=places, dimmed=dimmed)
        if isinstance(act, SpinAct):
            for held in picture.held:
                box = self._layout.cell_box(held.reel, held.row, self._theme.game.rows)
                stage.canvas.blit(cells.cell(held.symbol), stage.pixels(box))
            if waiting is not None:
                self._wins.suspense(stage, waiting, now - act.spin.stop_at[waiting - 1])
        self._lip.draw(stage)
        if isinstance(act, SpinAct):
            self._symbols.landed(stage, picture, act, now)

    def _headline(self, stage: Stage, headline: Headline) -> None:
        """Draw the words that replace the logo."""
        zoom, box = self._layout.signs.logo_zoom, self._layout.headline
        letters, width = self._context.sized(zoom).letters, round(box[2] / zoom) - 30
        middle = centre(box)[0]
        stage.draw_centred(letters.fitted(headline.words, 40, width, GOLD, TITLE), middle, box[1] + 28 * zoom)
        stage.draw_centred(letters.fitted(headline.note, 21, width, WHITE), middle, box[1] + 68 * zoom)

    def _over_reels(
        self, stage: Stage, director: Director, picture: Picture, act: Act | None, now: float
    ) -> tuple[str, bool]:
        """Draw everything over the reels; return the message line and whether it is golden."""
        view, words, gold = director.view, "", False
        match act:
            case None:
                return self._draw_idle(stage, director, picture, now)
            case SpinAct():
                luck = "" if director.demonstrates else text.say(text.GOOD_LUCK)
                words = text.message(view) or _autospin_left(view.round) or luck
            case CascadeAct() | WaysAct() | ChainAct():
                return self._over_cascades(stage, director, act, now), not act.plain
            case WinsAct():
                words, gold = self._wins.all_lit(stage, picture, act, director, now), not act.plain
            case PicksWonAct():
                self._wins.picks_won(stage, picture, act, now)
                words, gold = text.say(text.TREASURE_WON, count=act.count), True
            case FreeSpinsAct():
                self._wins.free_spins(stage, picture, act, now)
            case TotalAct():
                self._wins.total(stage, act, director, now)
            case JackpotAct():
                self._wins.jackpot(stage, act, director, now)
        return words, gold

    def _over_cascades(self, stage: Stage, director: Director, act: CascadeAct | WaysAct | ChainAct, now: float) -> str:
        """Draw wins by ways, a cascade, or a chain's total; return the message line."""
        match act:
            case WaysAct():
                return self._wins.ways(stage, act, director, now)
            case ChainAct():
                return self._wins.chain(stage, act, director, now)
        self._cascade.draw(stage, act, now)
        self._lip.draw(stage)
        return text.say(text.CASCADE_PAYS, times=act.multiplier(now)) if act.falling(now) else ""

    def _draw_idle(self, stage: Stage, director: Director, picture: Picture, now: float) -> tuple[str, bool]:
        """Draw the game at rest: wins loop line by line, or the line states what the player may do."""
        if isinstance(director.offer, Continue):
            if not _starts_free_spins(picture):
                return message_or_lasting(director.view)
            self._wins.free_offer(stage, picture)
            return beside_prompt(director, text.say(text.FREE_SPINS_START), now)
        choice, elapsed = _gamble_or_spin(director), now - director.picture_since
        if picture.won:
            return self._wins.loop(stage, picture, director, elapsed, choice=choice)
        if choice:
            return beside_prompt(director, choice, now)
        return self._invitation(director)

    @staticmethod
    def _invitation(director: Director) -> tuple[str, bool]:
        """Return what the player might do next, or should know."""
        view = director.view
        if not director.linked or view.past.replay is not None or director.demonstrates:
            return text.message(view), False
        candidates = (
            current(view),
            (lasting(view), False),
            (text.say(text.RESUMED) if view.round.resumed else "", True),
            (_autospin_left(view.round), False),
            (text.say(text.GOOD_LUCK) if view.state == "round" else "", False),
            (_call_for_a_spin(view), False),
            (text.call_for_money(view) if view.state == "idle" and not view.balance.credit_cents else "", True),
        )
        return next(((words, gold) for words, gold in candidates if words), ("", False))


def _call_for_a_spin(view: View) -> str:
    """Return what SPIN does at an idle game and what it may win; empty if it plays nothing."""
    if view.state != "idle" or view.bet is None or "spin" not in view.controls:
        return ""
    if view.balance.credit_cents < view.bet.cents:
        lowest, _ = view.lobby.bet_ranges.get(view.game, (view.bet.cents, 0))
        return text.say(text.MESSAGES["not_enough_credit"]) if lowest <= view.balance.credit_cents else ""
    words = text.say(text.PRESS_SPIN)
    return f"{words}  ·  {win_up_to(view.game, view.bet)}"


def _gamble_or_spin(director: Director) -> str:
    """Return what GAMBLE and SPIN do with a win that may be gambled; empty if none may."""
    view = director.view
    if view.state != "gamble_offer" or not director.linked:
        return ""
    plays = view.bet is not None and view.bet.cents <= view.balance.credit_cents + view.round.at_risk_cents
    words = text.GAMBLE_OR_SPIN if plays else text.GAMBLE_OR_COLLECT
    return text.say(words, amount=written(view.round.at_risk_cents, view.locale.money))


def _starts_free_spins(picture: Picture) -> bool:
    """Whether the awaited press starts the first of the free spins, and not a respin under locked reels."""
    return picture.free and picture.free_played == 0 and not picture.locked


def _autospin_left(shown: ShownRound) -> str:
    """Return how many spins autospin has left, or an empty string if it is not running."""
    return text.say(text.AUTO_LEFT, left=shown.autospin_left, of=shown.autospin_of) if shown.autospin_of else ""


class _Lip:
    """The inner edge of the frame where it overlaps the reels; the rest of the window is left out."""

    def __init__(self, frame: pygame.Surface, scale: float, layout: Layout) -> None:
        box = pygame.Rect(*(round(value * scale) for value in layout.reels))
        hole = box.move(*(-round(value * scale) for value in layout.frame))
        window = frame.subsurface(hole)
        edge = round(24 * layout.reels_zoom * scale)
        strips = (
            pygame.Rect(0, 0, box.width, edge),
            pygame.Rect(0, box.height - edge, box.width, edge),
            pygame.Rect(0, edge, edge, box.height - 2 * edge),
            pygame.Rect(box.width - edge, edge, edge, box.height - 2 * edge),
        )
        self._pieces: list[tuple[pygame.Surface, tuple[int, int]]] = []
        for strip in strips:
            used = window.subsurface(strip).get_bounding_rect(min_alpha=1)
            if used.width and used.height:
                used.move_ip(strip.topleft)
                self._pieces.append((window.subsurface(used), (box.left + used.left, box.top + used.top)))

    def draw(self, stage: Stage) -> None:
        """Draw the edge over the reels, which are drawn again in each frame."""
        stage.canvas.fblits(self._pieces)
