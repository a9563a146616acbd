from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from controller.features.demo.scripted_player import ScriptedPlayer, StoryError, euros, is_idle, is_in_lobby, is_playing
from controller.features.demo.settings import RunDirectory
from controller.journal import money, rounds
from controller.journal.transaction import Transaction
from controller.machine.states import TABLE, State
from drivers.simulated.bench.frame_mirror import HEADER, HEADER_BYTES, MAGIC, NoFrameError
from drivers.simulated.front import Front
from drivers.wiring import BUTTONS
from tests.rigs.books import opened, segment, wager

DARK = Front(mains=True, lamps=dict.fromkeys(BUTTONS, False), tower={}, meters={}, doors={}, keys={}, buttons={})


def lit(state: State) -> Front:
    """The front in `state`, with every live button lit."""
    return msgspec.structs.replace(DARK, lamps={name: name in TABLE[state].lamps for name in BUTTONS})


class Client:
    """A front that changes with what is done to it, as the test says."""

    def __init__(self, front: Front, reacts: Callable[[str], Front | None] = lambda _words: None) -> None:
        self.front = front
        self.done: list[str] = []
        self.reacts = reacts

    def do(self, words: str) -> None:
        """Remember the act, and change."""
        self.done.append(words)
        self.front = self.reacts(words) or self.front

    def wait_until(self, predicate: Callable[[Front], bool], timeout: float) -> Front:
        """The front, if it is already as it should be."""
        if not predicate(self.front):
            raise TimeoutError(f"not within {timeout} s")
        return self.front


class Scene:
    """A player with its own clock; `reported` are its lines."""

    def __init__(self, directory: Path, client: Client, *, hurry: bool = False) -> None:
        self.seconds = 0.0
        self.reported: list[str] = []
        self.run = RunDirectory(directory)
        self.player = ScriptedPlayer(
            self.run,
            client=client,  # type: ignore[arg-type]
            pictures=directory,
            report=self.reported.append,
            now=lambda: self.seconds,
            pause=self.pause,
            hurry=hurry,
        )

    def pause(self, seconds: float) -> None:
        """Time passes at once."""
        self.seconds += seconds


def test_lamps_distinguish_the_states() -> None:
    """What the hand concludes from the lamps holds for every state of the machine's own table."""
    pages = {State.PAYTABLE, State.AUTOSPIN, State.SETTINGS, State.SERVICE_MENU}
    assert {state for state in State if is_idle(lit(state))} == {State.IDLE, State.GAMBLE_OFFER, *pages}
    assert [state for state in State if is_playing(lit(state))] == [State.ROUND]
    between = {state for state in State if is_in_lobby(lit(state))}
    unset = {State.SESSION, State.LOSS_LIMIT, State.REALITY_CHECK}  # a demo has no jurisdiction's rules
    assert between == {State.LOBBY, State.COMPANION, State.MENU, State.HISTORY, State.GAMBLE, *unset}


def test_waiting_ends_with_what_was_seen_or_with_the_front(tmp_path: Path) -> None:
    """A look is repeated until it sees something; in vain, the error says what was waited for and what was shown."""
    scene = Scene(tmp_path, Client(DARK))
    assert scene.player.until("time passes", lambda: scene.seconds if scene.seconds > 1 else None) > 1
    with pytest.raises(StoryError, match="not within 2 s: a miracle; the front shows Front"):
        scene.player.until("a miracle", lambda: None, seconds=2)
    with pytest.raises(StoryError, match="SPIN is lit: not within 3 s"):
        scene.player.until_front("SPIN is lit", lambda front: front.lamps["spin"], 3)


def test_spin_opens_the_game_of_the_lobby_and_no_more(tmp_path: Path) -> None:
    """A lost tap is repeated, but not in an open game; a lobby that stays is reported."""
    fronts = [lit(State.LOBBY), lit(State.IDLE)]
    client = Client(lit(State.LOBBY), lambda _words: fronts.pop(0))
    Scene(tmp_path, client).player.open_game()
    assert fronts == []
    with pytest.raises(StoryError, match="taps on SPIN opened no game"):
        Scene(tmp_path, Client(lit(State.LOBBY), lambda _words: lit(State.LOBBY))).player.open_game()


def test_spin_is_pressed_until_the_round_is_over(tmp_path: Path) -> None:
    """Offers and shows are gone on with, one press after a look each, and no press falls into the idle game."""
    fronts = [lit(State.ROUND), lit(State.OFFER), lit(State.IDLE)]
    client = Client(lit(State.OFFER), lambda _words: fronts.pop(0))
    scene = Scene(tmp_path, client)
    looks: list[Front] = []
    scene.player.press_until_idle(10, lambda: looks.append(client.front))
    assert client.done == ["tap spin"] * 3
    assert looks == [lit(State.OFFER), lit(State.ROUND), lit(State.OFFER)]


def begun(tx: Transaction) -> int:
    """Begin a round; return its number."""
    money.coins_taken(tx, 1, 1, (100,), 0)
    return rounds.begin(tx, wager(100), "null", segment(0, ends=False))


def test_a_win_that_may_be_gambled_is_collected(tmp_path: Path) -> None:
    """The lamps are those of the idle game; the books say that the round is open still."""
    client = Client(lit(State.GAMBLE_OFFER))
    scene = Scene(tmp_path, client)
    with opened(tmp_path) as store:
        number = store.transact(begun)

        def collected(_words: str) -> Front:
            store.transact(lambda tx: rounds.proceed(tx, number, segment(0, ends=True)))
            return lit(State.IDLE)

        client.reacts = collected
        scene.player.until_idle(patient=True)
    assert client.done == ["tap collect"]


@pytest.mark.parametrize(("hurry", "presses"), [(True, ["tap spin"]), (False, [])])
def test_only_a_hurried_hand_stops_the_reels(tmp_path: Path, *, hurry: bool, presses: list[str]) -> None:
    """Without hurry a show is watched to its end; if that never comes, the story fails."""
    client = Client(lit(State.ROUND), lambda _words: lit(State.IDLE))
    scene = Scene(tmp_path, client, hurry=hurry)
    if hurry:
        scene.player.until_idle()
    else:
        with pytest.raises(StoryError, match="the game is not idle after 40 s"):
            scene.player.until_idle()
    assert client.done == presses


def test_a_tap_that_nothing_comes_of_is_repeated(tmp_path: Path) -> None:
    """A hand whose tap was not felt taps again, as a person would, and gives up after five."""
    client = Client(lit(State.IDLE))
    with pytest.raises(StoryError, match="5 taps on SPIN brought no round"):
        Scene(tmp_path, client).player.begin_round()
    assert client.done == ["tap spin"] * 5


def test_a_key_is_turned_and_turned_back(tmp_path: Path) -> None:
    """No key is left turned."""
    client = Client(DARK)
    Scene(tmp_path, client).player.turn_key("attendant")
    assert client.done == ["key attendant on", "key attendant off"]


def test_pictures_are_numbered_in_the_order_of_the_story(tmp_path: Path) -> None:
    """A picture is what the glass shows; without a display there is none, and the error says so."""
    scene = Scene(tmp_path, Client(DARK))
    with pytest.raises(NoFrameError):
        scene.player.picture("nothing")
    pixels = bytes(2 * 4 * 4)
    header = HEADER.pack(MAGIC, 2, 2, 0, 1, 1).ljust(HEADER_BYTES, b"\0")
    scene.run.frame_mirror.write_bytes(header + pixels)
    scene.player.picture("attract")
    assert [path.name for path in tmp_path.glob("*.png")] == ["02-attract.png"]


def test_what_a_display_shows_before_it_is_linked_is_no_picture_of_the_game(tmp_path: Path) -> None:
    """However long a busy machine takes: neither the loading screen nor that with the word of the missing link."""
    scene = Scene(tmp_path, Client(DARK))
    shown = {0.0: b"loading.", 40.0: b"no link.", 55.0: b"the game"}

    def pause(seconds: float) -> None:
        scene.pause(seconds)
        number, pixels = max((at, each) for at, each in shown.items() if at <= scene.seconds)
        header = HEADER.pack(MAGIC, 2, 1, 0, int(number) + 1, 1).ljust(HEADER_BYTES, b"\0")
        scene.run.frame_mirror.write_bytes(header + pixels * 2)

    scene.player.pause = pause
    pause(20.0)
    scene.player.until_loaded(60.0)
    frame = scene.player.mirror.frame()
    assert frame is not None
    assert frame.pixels == b"the game"
    scene.player.until_loaded(60.0)
    assert 115.0 <= scene.seconds < 116.0


def test_a_glass_that_nobody_holds_is_dark(tmp_path: Path) -> None:
    """The last frame of a dead display does not count as one."""
    scene = Scene(tmp_path, Client(DARK))
    header = HEADER.pack(MAGIC, 2, 2, 0, 5, 1).ljust(HEADER_BYTES, b"\0")
    scene.run.frame_mirror.write_bytes(header + bytes(2 * 2 * 2 * 4))
    assert scene.player.frame == 0


def test_lines_carry_the_time_and_amounts_their_cents(tmp_path: Path) -> None:
    """The lines are a protocol of the demo."""
    scene = Scene(tmp_path, Client(DARK))
    scene.pause(12.34)
    scene.player.report(f"credit {euros(2005)}")
    assert scene.reported == ["  12.3 s  credit 20.05 €"]
