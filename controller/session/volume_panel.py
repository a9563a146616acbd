"""The panel for the volumes, operated by touch alone or by the panel's buttons alone.

Buttons: LINES and BET move up and down, BET MAX and INFO choose more and less, SPIN saves, AUTO and COLLECT leave.
"""

import msgspec

from ui.protocol.values import Volumes

NAMES = Volumes.__struct_fields__
STEP_PERCENT = 10
LOUDEST_PERCENT = 100


class VolumePanel:
    """The volumes being chosen, starting with those saved last; `name` is the one at the panel's cursor."""

    def __init__(self, volumes: Volumes) -> None:
        self.volumes = volumes
        self.name = NAMES[0]

    @property
    def touches(self) -> frozenset[str]:
        """The live touch controls; a volume at its limit has no control beyond it."""
        live = {"settings:save", "settings:cancel"}
        for name in NAMES:
            percent = getattr(self.volumes, name)
            live.update(f"volume:{name}:{sign}" for sign in "+-" if 0 <= _step(percent, sign) <= LOUDEST_PERCENT)
        return frozenset(live)

    def take(self, control: str) -> str:
        """Process a press of a live control; return `save` or `cancel` if that ends the panel, otherwise ""."""
        if control in ("spin", "settings:save"):
            return "save"
        if control in ("auto", "collect", "settings:cancel"):
            return "cancel"
        if control in ("lines", "bet"):
            step = 1 if control == "bet" else -1
            self.name = NAMES[(NAMES.index(self.name) + step) % len(NAMES)]
        elif control in ("max_bet", "info"):
            self._change("+" if control == "max_bet" else "-")
        else:
            _volume, self.name, sign = control.split(":")
            self._change(sign)
        return ""

    def _change(self, sign: str) -> None:
        percent = min(LOUDEST_PERCENT, max(0, _step(getattr(self.volumes, self.name), sign)))
        self.volumes = msgspec.structs.replace(self.volumes, **{self.name: percent})


def _step(percent: int, sign: str) -> int:
    return percent + (STEP_PERCENT if sign == "+" else -STEP_PERCENT)
