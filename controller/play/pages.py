"""The pages beside a game's reels: paytable, menu, autospin's settings, volumes, history."""

from collections.abc import Awaitable, Callable

from controller.machine.states import State
from controller.machine.view import MachineParts, menu_of
from controller.play.history import History
from controller.play.paytable import PaytablePages
from controller.play.playing import Playing
from controller.play.showing import Shows
from controller.session.autospin import AutospinSettings
from controller.session.autospin_panel import SettingsPanel
from controller.session.volume_panel import VolumePanel

_STAYS = ("coin_value", "total_bet", "turbo", "sound")
"""The menu items that leave the menu open."""


class Pages:
    """Opens and serves the pages of the idle game; `idle` handles the idle game's controls."""

    def __init__(
        self, machine: MachineParts, shows: Shows, playing: Playing, idle: Callable[[str], Awaitable[None]]
    ) -> None:
        self._machine = machine
        self._playing = playing
        self._idle = idle
        self._history = History(machine, shows)
        self._paytable_pages = PaytablePages(machine.play, machine.states)
        self._autospin = AutospinSettings()
        self.places: dict[str, Callable[[str], Awaitable[None]]] = {
            State.PAYTABLE: self._paytable,
            State.MENU: self._menu,
            State.AUTOSPIN: self._autospin_settings,
            State.SETTINGS: self._settings,
            State.HISTORY: self._history.take,
        }

    async def open(self, control: str) -> None:
        """Open the page of a control of the idle game, if it is one of these."""
        machine = self._machine
        if control in ("info", "paytable"):
            self._paytable_pages.open()
        elif control == "menu":
            machine.states.enter(State.MENU, focus=menu_of(machine)[0])
        elif control == "auto":
            machine.play.autospin_panel = SettingsPanel(
                self._autospin,
                machine.play.bet.cents,
                pool=machine.play.game.pool is not None,
                most_spins=machine.settings.config.games.autospin_spins,
                must_limit=machine.settings.config.games.autospin_loss_limit,
            )
            machine.states.enter(State.AUTOSPIN, focus=_field(machine.play.autospin_panel))
        elif control == "settings":
            machine.play.volume_panel = VolumePanel(machine.play.session.volumes)
            machine.states.enter(State.SETTINGS, focus=_volume(machine.play.volume_panel))
        elif control == "history":
            await self._history.open()

    async def _paytable(self, control: str) -> None:
        leads = await self._paytable_pages.take(control)
        if leads == "menu":
            await self.open("menu")
        elif leads == "close":
            self._machine.states.enter(State.IDLE)

    async def _menu(self, control: str) -> None:
        """Move in the menu, leave it, or activate the item under the cursor or the finger."""
        machine = self._machine
        if control in ("lines", "bet"):
            machine.states.move_focus(menu_of(machine), control)
        elif control in ("info", "collect", "menu_close"):
            machine.states.enter(State.IDLE)
        else:
            item = machine.play.focus if control == "spin" else control
            if item == "sound":
                machine.states.press(item)
            elif item in machine.states.controls:
                await self._idle(item)
            if item in _STAYS:
                machine.play.focus = item
                machine.states.refresh()

    async def _settings(self, control: str) -> None:
        machine, panel = self._machine, self._machine.play.volume_panel
        if panel is None:
            return
        ends = panel.take(control)
        if ends == "save":
            await machine.states.choose(volumes=panel.volumes)
        if ends:
            machine.play.volume_panel = None
            machine.states.enter(State.IDLE)
        else:
            machine.play.focus = _volume(panel)
            machine.states.refresh()

    async def _autospin_settings(self, control: str) -> None:
        machine, panel = self._machine, self._machine.play.autospin_panel
        if panel is None or machine.conditions.overlay is not None:
            return  # it came between the press and here
        ends = panel.take(control)
        self._autospin = panel.settings
        if not ends:
            machine.play.focus = _field(panel)
            machine.states.refresh()
            return
        machine.play.autospin_panel = None
        if ends == "start":
            await self._playing.autospin(self._autospin)
        else:
            machine.states.enter(State.IDLE)


def _field(panel: SettingsPanel) -> str:
    """Return the focus of the setting at the panel's cursor."""
    return f"auto:{panel.field}"


def _volume(panel: VolumePanel) -> str:
    """Return the focus of the volume at the panel's cursor."""
    return f"volume:{panel.name}"
