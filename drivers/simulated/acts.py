"""Parse and carry out the text commands that act on the cabinet's front."""

from collections.abc import Awaitable, Callable, Collection, Sequence

from drivers.clock import Clock
from drivers.simulated.cabinet import SimulatedCabinet
from drivers.simulated.front import COINS_CENTS, NOTES_CENTS
from drivers.simulated.misbehaviour import Kind, Way

TAP_S = 0.080
SHORTEST_S = 0.050
"""The shortest time in which a button's contact is closed, and open between two presses, however quickly a mouse or a
key of the bench is: a real button has to travel there and back, and a debouncer rightly treats less as noise."""

_USAGE = {
    "note": "note EUR",
    "ticket": "ticket NUMBER",
    "coin": "coin EUR",
    "card": "card NUMBER",
    "press": "press BUTTON",
    "release": "release BUTTON",
    "tap": "tap BUTTON",
    "key": "key NAME on|off",
    "door": "door NAME open|close",
    "mains": "mains on|off",
    "crash": "crash",
    "take": "take tray|note|coins|ticket",
    "fill": "fill COINS",
    "paper": "paper MM",
    "cover": "cover open|close",
    "clear": "clear",
    "fault": "fault DEVICE WHAT [NUMBER|on|off] [to_host|to_device]",
    "chance": "chance DEVICE WHAT PER_THOUSAND [to_host|to_device]",
}


class Acts:
    """Carries out acts on `cabinet`, each given as one line of words; `clock` times a tap."""

    def __init__(self, cabinet: SimulatedCabinet, clock: Clock) -> None:
        self._cabinet = cabinet
        self._clock = clock
        self._moved_at: dict[str, float] = {}
        self._do: dict[str, Callable[[Sequence[str]], Awaitable[None]]] = {
            "note": self._note,
            "ticket": self._ticket,
            "coin": self._coin,
            "card": self._card,
            "press": self._press,
            "release": self._release,
            "tap": self._tap,
            "key": self._key,
            "door": self._door,
            "mains": self._mains,
            "crash": self._crash,
            "take": self._take,
            "fill": self._fill,
            "paper": self._paper,
            "cover": self._cover,
            "clear": self._clear,
            "fault": self._fault,
            "chance": self._chance,
        }

    async def do(self, what: str) -> None:
        """Carry out one act; raise `ValueError` with a message that says what is wrong and which words are allowed."""
        word, *rest = what.split() or [""]
        if word not in self._do:
            raise ValueError(f"nobody can {what!r} here; there are: {'; '.join(_USAGE.values())}")
        await self._do[word](rest)

    async def _note(self, words: Sequence[str]) -> None:
        self._cabinet.insert_note(_cents("note", words, NOTES_CENTS))

    async def _ticket(self, words: Sequence[str]) -> None:
        (number,) = _exactly("ticket", words, 1)
        self._cabinet.insert_ticket(number)

    async def _coin(self, words: Sequence[str]) -> None:
        self._cabinet.insert_coin(_cents("coin", words, COINS_CENTS))

    async def _card(self, words: Sequence[str]) -> None:
        (number,) = _exactly("card", words, 1)
        self._cabinet.present_card(number)

    async def _press(self, words: Sequence[str]) -> None:
        (button,) = _exactly("press", words, 1)
        await self._at_rest(button)
        self._move(button, down=True)

    async def _release(self, words: Sequence[str]) -> None:
        (button,) = _exactly("release", words, 1)
        try:
            await self._at_rest(button)
        finally:
            self._move(button, down=False)

    async def _at_rest(self, button: str) -> None:
        """Wait until the button has stayed long enough where it is."""
        since = self._moved_at.get(button, -SHORTEST_S)
        if (left_s := since + SHORTEST_S - self._clock.now()) > 0:
            await self._clock.sleep(left_s)

    def _move(self, button: str, *, down: bool) -> None:
        self._cabinet.panel.press(button, down=down)
        self._moved_at[button] = self._clock.now()

    async def _tap(self, words: Sequence[str]) -> None:
        (button,) = _exactly("tap", words, 1)
        await self._at_rest(button)
        self._move(button, down=True)
        try:
            await self._clock.sleep(TAP_S)
        finally:
            self._move(button, down=False)

    async def _key(self, words: Sequence[str]) -> None:
        key, position = _exactly("key", words, 2)
        self._cabinet.panel.turn(key, on=_either("key", position, "on", "off"))

    async def _door(self, words: Sequence[str]) -> None:
        door, position = _exactly("door", words, 2)
        self._cabinet.panel.swing(door, is_open=_either("door", position, "open", "close"))

    async def _mains(self, words: Sequence[str]) -> None:
        (position,) = _exactly("mains", words, 1)
        self._cabinet.power(on=_either("mains", position, "on", "off"))

    async def _crash(self, words: Sequence[str]) -> None:
        _exactly("crash", words, 0)
        self._cabinet.crash()

    async def _take(self, words: Sequence[str]) -> None:
        (what,) = _exactly("take", words, 1)
        self._cabinet.take(what)

    async def _fill(self, words: Sequence[str]) -> None:
        (coins,) = _exactly("fill", words, 1)
        self._cabinet.fill(_number("fill", coins))

    async def _paper(self, words: Sequence[str]) -> None:
        (millimetres,) = _exactly("paper", words, 1)
        self._cabinet.load_paper(_number("paper", millimetres))

    async def _cover(self, words: Sequence[str]) -> None:
        (position,) = _exactly("cover", words, 1)
        self._cabinet.printer_fault("cover_open", on=_either("cover", position, "open", "close"))

    async def _clear(self, words: Sequence[str]) -> None:
        _exactly("clear", words, 0)
        for jam in ("paper_jam", "cutter_jam"):
            self._cabinet.printer_fault(jam, on=False)

    async def _fault(self, words: Sequence[str]) -> None:
        ways = [Way(word) for word in words if word in set(Way)]
        plain = [word for word in words if word not in set(Way)]
        if not 2 <= len(plain) <= 3 or len(ways) > 1:  # noqa: PLR2004 - device, what, and perhaps how much
            raise ValueError(f"say `{_USAGE['fault']}`")
        device, what, much = plain if len(plain) > 2 else (*plain, "on")  # noqa: PLR2004 - as above
        if what in set(Kind):
            self._cabinet.misbehave(device, Kind(what), _number("fault", much), ways[0] if ways else Way.TO_HOST)
        else:
            self._cabinet.fault(device, what, _number("fault", much))

    async def _chance(self, words: Sequence[str]) -> None:
        ways = [Way(word) for word in words if word in set(Way)]
        plain = [word for word in words if word not in set(Way)]
        device, what, rate = _exactly("chance", plain, 3)
        if len(ways) > 1:
            raise ValueError(f"say `{_USAGE['chance']}`")
        self._cabinet.chance(device, what, _number("chance", rate) / 1000, ways[0] if ways else Way.TO_HOST)


def _exactly(word: str, words: Sequence[str], count: int) -> Sequence[str]:
    if len(words) != count:
        raise ValueError(f"say `{_USAGE[word]}`")
    return words


def _either(word: str, said: str, yes: str, no: str) -> bool:
    if said not in (yes, no):
        raise ValueError(f"{said!r} is neither {yes} nor {no}; say `{_USAGE[word]}`")
    return said == yes


def _number(word: str, said: str) -> int:
    """Read a count; `on` is 1 and `off` 0."""
    if said in ("on", "off"):
        return int(said == "on")
    if not said.isascii() or not said.isdigit() or len(said) > 4:  # noqa: PLR2004 - no count here needs more
        raise ValueError(f"{said!r} is no number that fits here; say `{_USAGE[word]}`")
    return int(said)


def _cents(word: str, words: Sequence[str], known_cents: Collection[int]) -> int:
    """Read an amount in EUR, decimal point or comma, that must be one of `known_cents`."""
    (said,) = _exactly(word, words, 1)
    euros, _point, rest = said.replace(",", ".").partition(".")
    plain = (euros + rest).isascii() and (euros + rest).isdigit() and len(euros) <= 4 and len(rest) <= 2  # noqa: PLR2004 - no longer amounts exist
    cents = int(euros or "0") * 100 + int(rest.ljust(2, "0")) if plain else -1
    if cents not in known_cents:
        known = ", ".join(f"{known // 100}.{known % 100:02d}" for known in known_cents)
        raise ValueError(f"there is no {word} of {said} EUR; there are {known}")
    return cents
