"""The whole chain in real processes: venue, one-time code, service menu, link, jackpots of the lobby, a lost server."""

import time
from pathlib import Path
from typing import Any

import pytest

from controller.configuration.cabinet_toml import load as load_config
from controller.features.demo import enrolment
from controller.features.demo.scripted_player import ScriptedPlayer
from drivers.simulated.front_client import FrontClient
from gamekit.catalogue import load
from tests.rigs.display_client import DisplayClient
from tests.rigs.linked_processes import LINKED, configure, running
from tests.rigs.real_cabinet import RealCabinet
from tests.rigs.venue_cabinet import VenueCabinet
from tests.rigs.venue_machine import VenueMachine

pytestmark = pytest.mark.processes

SESSIONS = "SELECT ssl FROM pg_stat_activity JOIN pg_stat_ssl USING (pid)"
GROWN = "SELECT game, coin, cum FROM venue.meter JOIN venue.pool USING (pool) WHERE cabinet = 1 AND cum > 0"


def test_from_a_code_to_a_linked_jackpot_and_over_a_lost_server(tmp_path: Path) -> None:
    """A cabinet enrols from its menu, its stake is in the venue's pool and its lobby, and only the linked games lock.

    The award itself is held by tests of the link and of the claims: a seeded round that wins it would be luck.
    """
    with VenueMachine() as venue, RealCabinet(tmp_path / "cab", seed=5) as cabinet:
        rule = load("bewitched").pool
        assert rule is not None
        configure(cabinet.run, venue.server.port)
        coins = load_config(cabinet.run.configuration).games.coin_values_cents
        assert "pool of bewitched at" in venue.init(coins).output
        venue.restart()
        display = DisplayClient(cabinet.run.display_socket)
        with running(cabinet, tmp_path / "link"):
            enrol(cabinet, venue.code(), tmp_path)
            assert ask(venue, "SELECT cabinet, role, label FROM venue.cabinet") == [(1, "cab_1", "Demo")]
            assert ask(venue, f"{SESSIONS} WHERE usename = 'cab_1'") == [(True,)]
            pay_in(cabinet, display)
            display.serve_until(lambda: closed(display) == dict.fromkeys(LINKED, ""))
            play(display, "bewitched")
            assert cabinet.books.last_round is not None
            (stake,) = cabinet.books.rows("SELECT value FROM meters WHERE name = 'stakes'")[0]
            display.serve_until(lambda: bool(ask(venue, GROWN)))
            ((game, coin, cum),) = ask(venue, GROWN)
            assert (game, cum) == ("bewitched", stake * rule.growth_per_mille)

            # Another cabinet's bets are in the value too.
            other = 123_000
            role, password = venue.enrol("cd" * 32)
            with VenueCabinet(venue.tls(role, password), "cd" * 32) as neighbour:
                neighbour.hello()
                rows = neighbour.beat().values()
                neighbour.play(next(row.pool for row in rows if (row.game, row.coin) == (game, coin)), other)
                neighbour.put()
            home(display)
            cents = (rule.seed_coins * coin * 1000 + cum + other) // 1000
            display.serve_until(lambda: display.snapshots[-1].view.lobby.jackpots[game].cents == cents)

            venue.server.stop()
            display.serve_until(lambda: set(closed(display).values()) == {"venue_unreached"})
            rounds = cabinet.books.rounds_played
            play(display, "neptune")
            assert cabinet.books.rounds_played == rounds + 1
            home(display)
            open_game(display, "bewitched")
            display.press("spin")
            display.serve(2.0)
            assert (display.state, cabinet.books.rounds_played) == ("idle", rounds + 1)
            home(display)

            venue.server.start()
            display.serve_until(lambda: closed(display) == dict.fromkeys(LINKED, ""))
            play(display, "bewitched")
            display.serve_until(lambda: ask(venue, GROWN)[0][2] == 2 * cum)
        display.close()
        assert "the books are proved" in venue.run("audit").output


def enrol(cabinet: RealCabinet, code: str, pictures: Path) -> None:
    """Type the code on page U.13 as a technician who chooses a PIN first, and wait until the cabinet is connected."""
    console = load_config(cabinet.run.configuration).cabinet.console_socket
    with FrontClient(cabinet.run.hardware_socket) as client:
        player = ScriptedPlayer(
            cabinet.run,
            client=client,
            pictures=pictures,
            report=lambda _line: None,
            now=time.monotonic,
            pause=time.sleep,
            hurry=False,
        )
        enrolment.enrol(player, console, code)


def pay_in(cabinet: RealCabinet, display: DisplayClient) -> None:
    """Insert a note of 20.00, again for as long as the validator, which may still be starting, gives it back."""

    def credited() -> bool:
        if cabinet.front.bill_return_cents:
            cabinet.do("take note")
            cabinet.do("note 20")
        return (display.state, display.credit_cents) == ("lobby", 2000)

    display.serve_until(lambda: display.state == "attract")
    cabinet.do("note 20")
    display.serve_until(credited)


def closed(display: DisplayClient) -> dict[str, str]:
    """Return why each linked game of the lobby takes no rounds."""
    return {name: pool.closed for name, pool in display.snapshots[-1].view.lobby.jackpots.items()}


def open_game(display: DisplayClient, game: str) -> None:
    display.press(f"game:{game}")
    display.serve_until(lambda: display.state in ("idle", "witch"))
    if display.state == "witch":
        display.press("spin")
    display.serve_until(lambda: display.state == "idle" and display.snapshots[-1].view.game == game)


def play(display: DisplayClient, game: str) -> None:
    """Open a game and play one round to its end."""
    open_game(display, game)
    shown = len(display.shows)
    display.press("spin")
    display.serve_until(lambda: len(display.shows) > shown and display.state in ("idle", "gamble_offer"))


def home(display: DisplayClient) -> None:
    display.press("home")
    display.serve_until(lambda: display.state == "lobby")


def ask(venue: VenueMachine, sql: str) -> list[tuple[Any, ...]]:
    with venue.admin() as admin:
        return admin.execute(sql).fetchall()
