"""The polls that read meters (protocols.md, section 3; sas.md, sections 5.1 and 5.2)."""

from controller.features.sas import meters, notes
from controller.features.sas.answers import Readers
from controller.features.sas.hosted import Hosted
from drivers.errors import WireError
from drivers.sas.frames import Poll, answer
from drivers.sas.meters import EXTENDED, EXTENDED_AGAIN, SELECTED, Figures, figures_answer, selection
from drivers.sas.numbers import bcd, from_bcd, rolled

_FOUR = 4
_STATUS_OK, _STATUS_EMPTY, _STATUS_OTHER = 0x00, 0x07, 0xFF
_LEVEL_UNKNOWN = 0xFF


class Reading:
    """One port's answers from the journal's figures."""

    def __init__(self, hosted: Hosted) -> None:
        self._hosted = hosted
        self.readers: Readers = {
            **dict.fromkeys(meters.SINGLE_POLLS, self._single),
            **dict.fromkeys(meters.ROW_POLLS, self._row),
            **dict.fromkeys((SELECTED, EXTENDED, EXTENDED_AGAIN), self._selected),
            0x18: self._games_since,
            0x1C: self._gaming_machine,
            0x20: self._bills_value,
            0x2D: self._hand_paid,
            0x48: self._last_bill,
            0x4F: self._hopper,
            0x52: self._game,
        }

    def value(self, code: int, game: int = meters.MACHINE) -> int | None:
        """Return one meter's value, or None if it is not supported."""
        hosted = self._hosted
        ((_, value),) = meters.values(hosted.figures, game, (code,), hosted.settings.denomination_cents)
        return value

    def _bcd(self, code: int, game: int = meters.MACHINE) -> bytes:
        return rolled(self.value(code, game) or 0, _FOUR)

    def _answer(self, poll: Poll, data: bytes) -> bytes:
        return answer(self._hosted.address, poll.command, data)

    def _single(self, poll: Poll) -> bytes:
        return self._answer(poll, self._bcd(meters.SINGLE_POLLS[poll.command]))

    def _row(self, poll: Poll) -> bytes:
        return self._answer(poll, b"".join(map(self._bcd, meters.ROW_POLLS[poll.command])))

    def _selected(self, poll: Poll) -> bytes | None:
        wanted = selection(poll)
        hosted = self._hosted
        if wanted.game not in meters.of_games():
            return None
        found = meters.values(hosted.figures, wanted.game, wanted.codes, hosted.settings.denomination_cents)
        return figures_answer(hosted.address, poll.command, Figures(wanted.game, tuple(found)))

    def _games_since(self, poll: Poll) -> bytes:
        figures = self._hosted.figures
        return self._answer(poll, rolled(figures.games_since_power_up, 2) + rolled(figures.games_since_door, 2))

    def _gaming_machine(self, poll: Poll) -> bytes:
        codes = (meters.COIN_IN, meters.COIN_OUT, meters.DROP, meters.JACKPOT, meters.GAMES, meters.WON)
        figures = self._hosted.figures
        counts = (figures["door_main"], figures["power_ups"])
        return self._answer(poll, b"".join(map(self._bcd, codes)) + b"".join(rolled(each, _FOUR) for each in counts))

    def _bills_value(self, poll: Poll) -> bytes:
        return self._answer(poll, rolled(self._hosted.figures["notes_in"] // 100, _FOUR))

    def _hand_paid(self, poll: Poll) -> bytes | None:
        if game_in(poll) != meters.MACHINE:
            return None  # hand-pays are paid from the credit, which belongs to no game
        return self._answer(poll, bcd(meters.MACHINE, 2) + self._bcd(meters.HAND_PAID))

    def _last_bill(self, poll: Poll) -> bytes:
        hosted, code = self._hosted, notes.code_of(self._hosted.figures.last_note_cents)
        if code is None:
            return self._answer(poll, bytes(6))
        country = notes.COUNTRIES.get(hosted.config.cabinet.money.tender.code, 0)
        count = hosted.figures[f"note_{hosted.figures.last_note_cents}"]
        return self._answer(poll, bcd(country, 1) + bcd(code, 1) + rolled(count, _FOUR))

    def _hopper(self, poll: Poll) -> bytes | None:
        """Return the hopper's status; no driver knows its level in coins."""
        hosted = self._hosted
        if hosted.hopper is None:
            return None
        faults = {fault.code for fault in hosted.parts.conditions.faults if fault.place == "hopper" and fault.present}
        status = _STATUS_EMPTY if "hopper_empty" in faults else _STATUS_OTHER if faults else _STATUS_OK
        if not hosted.hopper.ready:
            status = _STATUS_OTHER
        return self._answer(poll, bytes((2, status, _LEVEL_UNKNOWN)))

    def _game(self, poll: Poll) -> bytes | None:
        game = game_in(poll)
        if game not in meters.of_games():
            return None
        codes = (meters.COIN_IN, meters.COIN_OUT, meters.JACKPOT, meters.GAMES)
        return self._answer(poll, bcd(game, 2) + b"".join(self._bcd(code, game) for code in codes))


def game_in(poll: Poll) -> int:
    """Return the game number at the start of a poll's data; raise `WireError` if it is not BCD."""
    try:
        return from_bcd(poll.data[:2])
    except ValueError as error:
        raise WireError(f"SAS poll {poll}: {error}") from error
