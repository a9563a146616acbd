"""Chooses the scene for what the director says, draws it, and finds the control under a finger."""

from ui import text
from ui.acts import OpenAct, TotalAct
from ui.director import Director
from ui.layout import Box, centre, inside
from ui.lettering import WHITE
from ui.scenes.attract import Attract
from ui.scenes.autospin import AutospinSettings
from ui.scenes.game import GameScreen
from ui.scenes.hud import PRESSED_S
from ui.scenes.lobby import Lobby
from ui.scenes.overlays import STATES, Overlay
from ui.scenes.paytable import Paytable
from ui.scenes.props import Props, Scenery, pill
from ui.scenes.treasure import Treasure
from ui.stage import Stage
from ui.worlds.look import Look

RIBBON: Box = (280, 8, 720, 52)
PATIENCE_S = 2.0
"""How long the supervisor may be away before the player is told."""


class Theatre:
    """Draws the director's state on the stage; scenes are built when first shown."""

    def __init__(self, stage: Stage, director: Director, props: Props) -> None:
        self.stage = stage
        self._director = director
        self._props = props
        self._scenes: dict[str, Scenery] = {}
        self._overlay = Overlay(props)
        self._ribbon = pill(RIBBON[2:], props.scale)

    def draw(self, now: float) -> None:
        """Draw the screen as it stands at `now`."""
        director = self._director
        beneath = self._beneath()
        if director.view.state in STATES:
            if not self._overlay.prepared(director):
                beneath.draw(self.stage, director, now)
                self._overlay.prepare(self.stage.canvas, director)
            self._overlay.draw(self.stage, director, now)
        else:
            beneath.draw(self.stage, director, now)
        if director.lost_at is not None and now >= director.lost_at + PATIENCE_S:
            words = self._props.letters.text(text.say(text.RECONNECTING), 24, WHITE)
            self.stage.draw_centred(self._ribbon, *centre(RIBBON))
            self.stage.draw_centred(words, *centre(RIBBON))

    def due(self, now: float) -> float:
        """Return when the next frame is due; infinity when nothing moves."""
        director = self._director
        scene = self._overlay if director.view.state in STATES else self._beneath()
        due = scene.due(director, now)
        performance = director.performance
        if performance is not None and performance.act is not None:
            due = min(due, performance.act.ends_at())
        if director.lost_at is not None and now < director.lost_at + PATIENCE_S:
            due = min(due, director.lost_at + PATIENCE_S)
        return due

    def touch(self, x: float, y: float, now: float) -> str:
        """A finger is put down: return the live control under it, or an empty string."""
        director = self._director
        overlaid = director.view.state in STATES
        scene = self._overlay if overlaid else self._beneath()
        hits = [name for name, box in scene.controls(director) if inside(box, x, y)]
        if isinstance(scene, Paytable):
            for name in hits:
                if scene.turn(name):
                    self._press(name, now)
                    return ""
        if not director.linked:
            return ""
        for name in hits:
            if name in director.view.controls:
                self._press(name, now)
                return name
        return ""

    def _press(self, name: str, now: float) -> None:
        self._props.pressed, self._props.pressed_until = name, now + PRESSED_S

    def _beneath(self) -> Scenery:
        """Return the scene of the state, or, under an overlay, of what it has interrupted."""
        director = self._director
        look = director.look
        if director.view.state == "lobby":
            return self._lobby()
        if look is None or director.view.state == "attract":
            return self._attract()
        pages = {"paytable": self._paytable, "autospin": self._autospin}
        if director.view.state in pages:
            return pages[director.view.state](look)
        picture = director.picture
        act = None if director.performance is None else director.performance.act
        if picture is not None and picture.picking and (act is None or isinstance(act, OpenAct | TotalAct)):
            return self._treasure(look)
        return self._game(look)

    def _attract(self) -> Scenery:
        return self._scenes.get("attract") or self._keep("attract", Attract(self._props))

    def _lobby(self) -> Scenery:
        return self._scenes.get("lobby") or self._keep("lobby", Lobby(self._props))

    def _game(self, look: Look) -> Scenery:
        name = f"game {look.world}"
        return self._scenes.get(name) or self._keep(name, GameScreen(self._props, look))

    def _treasure(self, look: Look) -> Scenery:
        name = f"treasure {look.world}"
        return self._scenes.get(name) or self._keep(name, Treasure(self._props, look))

    def _paytable(self, look: Look) -> Scenery:
        name = f"paytable {look.world}"
        return self._scenes.get(name) or self._keep(name, Paytable(self._props, look))

    def _autospin(self, look: Look) -> Scenery:
        name = f"autospin {look.world}"
        return self._scenes.get(name) or self._keep(name, AutospinSettings(self._props, look))

    def _keep(self, name: str, scene: Scenery) -> Scenery:
        self._scenes[name] = scene
        return scene
