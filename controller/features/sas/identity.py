"""The polls that read the machine's identity: games, features, denominations, clock (sas.md, sections 5.3 and 5.4)."""

from datetime import datetime
from typing import Final

from controller.configuration.tickets import tickets_of
from controller.features.sas import meters
from controller.features.sas.answers import Readers
from controller.features.sas.hosted import Hosted
from controller.features.sas.reading import game_in
from controller.session import betting
from drivers.sas.denominations import CODES
from drivers.sas.frames import Poll, answer, counted_answer
from drivers.sas.numbers import bcd, from_bcd, rolled, text
from gamekit.catalogue import load, most_number, name_of, number_of
from gamekit.figures import base_percent

VERSION: Final = "602"
GAME_ID, ADDITIONAL_ID = "CB", "001"
"""The manufacturer codes in the answers to 1F and 53; the official codes are not public."""
LONGEST_SERIAL: Final = 40
MOST_BET: Final = 0xFF
METERED_WHEN_WON, EXTENDED_METERS, TRANSFERS = 0x01, 0x08, 0x40
"""Bits of the second feature byte (sas.md, section 5.3)."""
SYSTEM_VALIDATION, REDEMPTION = 0x20, 0x80
"""Bits of the first feature byte."""


class Identity:
    """One port's answers about the machine itself."""

    def __init__(self, hosted: Hosted) -> None:
        self._hosted = hosted
        self.readers: Readers = {
            0x1F: self._machine,
            0x51: self._games,
            0x53: self._game,
            0x54: self._serial,
            0x55: self._selected,
            0x56: self._enabled,
            0x7E: self._time,
            0xA0: self._features,
            0xB1: self._player_denomination,
            0xB2: self._denominations,
            0xB3: self._token,
            0xB4: self._category,
            0xB5: self._extended_game,
        }

    def _answer(self, poll: Poll, data: bytes) -> bytes:
        return answer(self._hosted.address, poll.command, data)

    def _machine(self, poll: Poll) -> bytes:
        return self._answer(poll, self._described(self._hosted.now.game or self._hosted.config.games.default))

    def _game(self, poll: Poll) -> bytes | None:
        game = game_in(poll)
        if game == meters.MACHINE:
            return self._answer(poll, bcd(game, 2) + self._described(self._hosted.config.games.default))
        name = name_of(game)
        return None if name is None else self._answer(poll, bcd(game, 2) + self._described(name))

    def _described(self, game: str) -> bytes:
        """Return ids, denomination, highest bet, progressive group 0, options 0, paytable and return percentage.

        `game` is empty if no game can be played: the highest bet is then 0, and paytable and return are blank.
        """
        denomination = CODES.get(self._hosted.settings.denomination_cents, 0)
        return b"".join(
            (
                text(GAME_ID, 2),
                text(ADDITIONAL_ID, 3),
                bytes((denomination, min(self._highest_bet(game), MOST_BET), 0, 0, 0)),
                text(load(game).maths_hash.upper() if game else "", 6),
                text(base_percent(game) if game else "", 4),
            )
        )

    def _highest_bet(self, game: str) -> int:
        """Return the highest bet of a game in credits, 0 for none."""
        if not game:
            return 0
        games = self._hosted.config.games
        known = load(game)
        bets = betting.total_bets(known, games)
        if bets:
            return self._hosted.to_credits(bets[-1])
        coins = known.line_counts[-1] * known.coins_per_line[-1]
        return self._hosted.to_credits(coins * games.coin_values_cents[-1])

    def _games(self, poll: Poll) -> bytes:
        """Return the highest game number; polls with a number that no game has are not answered."""
        return self._answer(poll, bcd(most_number(), 2))

    def _serial(self, poll: Poll) -> bytes:
        serial = text(self._hosted.config.cabinet.number or self._hosted.now.cabinet_id, LONGEST_SERIAL).rstrip()
        return counted_answer(self._hosted.address, poll.command, text(VERSION, 3) + serial)

    def _selected(self, poll: Poll) -> bytes:
        return self._answer(poll, bcd(number_of(self._hosted.now.game), 2))

    def _enabled(self, poll: Poll) -> bytes:
        off = self._hosted.now.state.games_off
        numbers = [number_of(game) for game in self._hosted.config.games.enabled if game not in off]
        data = bytes((len(numbers),)) + b"".join(bcd(number, 2) for number in sorted(numbers))
        return counted_answer(self._hosted.address, poll.command, data)

    def _time(self, poll: Poll) -> bytes:
        now = datetime.fromtimestamp(self._hosted.clock.wall_ms() / 1000).astimezone()
        return self._answer(poll, bytes.fromhex(now.strftime("%m%d%Y%H%M%S")))

    def _features(self, poll: Poll) -> bytes | None:
        game = game_in(poll)
        if game != meters.MACHINE and name_of(game) is None:
            return None
        second = METERED_WHEN_WON | EXTENDED_METERS | (TRANSFERS if self._hosted.settings.asset else 0)
        first = 0
        if self._hosted.validates:
            first = SYSTEM_VALIDATION | (REDEMPTION if tickets_of(self._hosted.config).takes else 0)
        return self._answer(poll, bcd(game, 2) + bytes((first, second, 0, 0, 0, 0)))

    def _player_denomination(self, poll: Poll) -> bytes:
        session = self._hosted.parts.play.session
        cents = session.bet.coin_value_cents or self._hosted.config.games.default_coin_value_cents
        return self._answer(poll, bytes((CODES.get(cents, 0),)))

    def _denominations(self, poll: Poll) -> bytes:
        codes = [CODES[cents] for cents in self._hosted.config.games.coin_values_cents if cents in CODES]
        return counted_answer(self._hosted.address, poll.command, bytes((len(codes), *codes)))

    def _token(self, poll: Poll) -> bytes | None:
        if self._hosted.hopper is None:
            return None
        return self._answer(poll, bytes((CODES.get(self._hosted.hopper.coin_value_cents, 0),)))

    def _category(self, poll: Poll) -> bytes | None:
        """Return the payback and coin in of a game's only wager category."""
        hosted, game = self._hosted, game_in(poll)
        try:
            category = from_bcd(poll.data[2:4])
        except ValueError:
            return None
        name = name_of(game)
        if name is None or category != 1:
            return None
        ((_, coin_in),) = meters.values(hosted.figures, game, (meters.COIN_IN,), hosted.settings.denomination_cents)
        data = bcd(game, 2) + bcd(category, 2) + text(base_percent(name), 4) + bytes((4,))
        return counted_answer(hosted.address, poll.command, data + rolled(coin_in or 0, 4))

    def _extended_game(self, poll: Poll) -> bytes | None:
        """Return number, highest bet, progressive level 0, name, paytable and the count of one wager category."""
        game = game_in(poll)
        name = name_of(game)
        if name is None:
            return None
        title, paytable = load(name).title.encode("ascii", "replace"), load(name).maths_hash.upper()[:6].encode()
        data = b"".join(
            (
                bcd(game, 2),
                bcd(min(self._highest_bet(name), 9_999), 2),
                bytes((0, 0, 0, 0, 0)),
                bytes((len(title),)),
                title,
                bytes((len(paytable),)),
                paytable,
                bcd(1, 2),
            )
        )
        return counted_answer(self._hosted.address, poll.command, data)
