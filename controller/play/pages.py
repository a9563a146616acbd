"""The pages beside a game's reels: paytable, menu, autospin's settings, volumes, history."""

from collections.abc import Awaitable, Callable

from controller.machine.machine import Machine
from controller.machine.states import State
from controller.machine.view import menu_of
from controller.play.history import History
from controller.play.paytable import PaytablePages
from controller.play.playing import Playing
from controller.session.autospin import AutospinSettings
from controller.session.autospin_panel import SettingsPanel
from controller.session.volume_panel import VolumePanel

_STAYS = ("coin_value", "turbo", "sound")
"""What the menu does without being left."""


class Pages:
    """Opens the pages from the idle game and serves them; `idle` does what the idle game's controls do."""

    def __init__(self, machine: Machine, playing: Playing, idle: Callable[[str], Awaitable[None]]) -> None:
        self._machine = machine
        self._playing = playing
        self._idle = idle
        self._history = History(machine)
        self._paytable_pages = PaytablePages(machine)
        self._autospin = AutospinSettings()
        self.places: dict[str, Callable[[str], Awaitable[None]]] = {
            State.PAYTABLE: self._paytable,
            State.MENU: self._menu,
            State.AUTOSPIN: self._autospin_settings,
            State.SETTINGS: self._settings,
            State.HISTORY: self._history.take,
        }

    async def open(self, control: str) -> None:
        """Open the page that a control of the idle game leads to, if it is one of these."""
        machine = self._machine
        if control in ("info", "paytable"):
            self._paytable_pages.open()
        elif control == "menu":
            machine.enter(State.MENU, focus=menu_of(machine)[0])
        elif control == "auto":
            machine.autospin_panel = SettingsPanel(
                self._autospin, machine.bet.cents, pool=machine.game.pool is not None
            )
            machine.enter(State.AUTOSPIN, focus=_field(machine.autospin_panel))
        elif control == "settings":
            machine.volume_panel = VolumePanel(machine.session.volumes)
            machine.enter(State.SETTINGS, focus=_volume(machine.volume_panel))
        elif control == "history":
            await self._history.open()

    async def _paytable(self, control: str) -> None:
        leads = await self._paytable_pages.take(control)
        if leads == "menu":
            await self.open("menu")
        elif leads == "close":
            self._machine.enter(State.IDLE)

    async def _menu(self, control: str) -> None:
        """Move in the menu, leave it, or do what stands under the cursor or the finger."""
        machine = self._machine
        if control in ("lines", "bet"):
            machine.move_focus(menu_of(machine), control)
        elif control in ("info", "collect", "menu_close"):
            machine.enter(State.IDLE)
        else:
            item = machine.focus if control == "spin" else control
            if item == "sound":
                machine.press(item)
            elif item in machine.controls:
                await self._idle(item)
            if item in _STAYS:
                machine.focus = item
                machine.refresh()

    async def _settings(self, control: str) -> None:
        machine, panel = self._machine, self._machine.volume_panel
        if panel is None:
            return
        ends = panel.take(control)
        if ends == "save":
            await machine.choose(volumes=panel.volumes)
        if ends:
            machine.volume_panel = None
            machine.enter(State.IDLE)
        else:
            machine.focus = _volume(panel)
            machine.refresh()

    async def _autospin_settings(self, control: str) -> None:
        machine, panel = self._machine, self._machine.autospin_panel
        if panel is None or machine.overlay is not None:
            return  # it came between the press and here
        ends = panel.take(control)
        self._autospin = panel.settings
        if not ends:
            machine.focus = _field(panel)
            machine.refresh()
            return
        machine.autospin_panel = None
        if ends == "start":
            await self._playing.autospin(self._autospin)
        else:
            machine.enter(State.IDLE)


def _field(panel: SettingsPanel) -> str:
    """Return the focus of the setting that the panel's cursor stands on."""
    return f"auto:{panel.field}"


def _volume(panel: VolumePanel) -> str:
    """Return the focus of the volume that the panel's cursor stands on."""
    return f"volume:{panel.name}"
