"""Rounds of every game recalled by an attendant, as short rehearsals; they join `tests.ui.programme`."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec

from controller.rounds.draws import seeded_source
from controller.rounds.engine import Round
from gamekit.catalogue import load
from gamekit.play import Offer, Scene, Stake
from gamekit.ways_scene import WaysScene, ways_of, windows_of
from tests.ui.rehearsal import Rehearsal, game_view
from ui.protocol.messages import ServicePage, ServiceRow, View, raw
from ui.protocol.values import Bet, PastRound

Screenplay = Callable[[Rehearsal], None]
SCREENS: dict[str, Screenplay] = {}
MAIN_SCREENS = (
    "neptune",
    "bewitched",
    "witch_feature",
    "mystery_elves",
    "mona_lisa_jewels",
    "star_quarry",
    "void",
    "playing",
    "rules",
)
KEYS = ("first", "up", "down", "last", "enter", "rules", "back")
NUMBER = 48_213
SEEDS = {
    "neptune": 25,
    "bewitched": 801,
    "witch_feature": 152,
    "mystery_elves": 170,
    "mona_lisa_jewels": 21,
    "star_quarry": 453,
}
"""Seeds whose first round at the highest number of lines wins a feature."""


class Step(NamedTuple):
    """A segment of a round, or a window of its cascades: the scene before it, its steps and what it leads to."""

    scene: Scene
    steps: tuple[msgspec.Raw, ...]
    final: Scene
    offer: Offer | None
    win_cents: int


def _screen(play: Screenplay) -> Screenplay:
    """Enter a screen in the programme under its function's name."""
    SCREENS[play.__name__] = play
    return play


def played(name: str) -> tuple[list[Step], Stake]:
    """Play the first round of a game's seed to its end, the first of all choices taken."""
    game, draws = load(name), seeded_source(SEEDS[name])
    stake = Stake(lines=game.line_counts[-1], coins_per_line=game.coins_per_line[0], coin_value_cents=5)
    round_ = Round(game, stake, "null")
    steps, answer = [], None
    while not round_.ended:
        round_.advance(answer, draws(0, round_.segments))
        steps += _windows(round_)
        answer = None if round_.offer is None else round_.offer.choices[0]
    return steps, stake


def _windows(played: Round) -> Iterator[Step]:
    """Yield the windows of the newest segment, as `controller.rounds.replay.stills` does."""
    game, scene, cents, first = played.game, played.scene, played.before_cents, 0
    steps = [msgspec.json.decode(step, type=game.step_type) for step in played.steps]
    for seen in windows_of(game, scene, played.stake, steps):
        last, cents = first + len(seen.steps), cents + seen.cents
        offer = played.offer if last == len(steps) else None
        yield Step(scene, played.steps[first:last], seen.scene, offer, cents)
        scene, first = seen.scene, last


def _page(
    name: str, step: str, stake: Stake, won_cents: int, scene: Scene, *, jackpot_cents: int = 0, state: str = "settled"
) -> ServicePage:
    staked, ways = stake.coins * stake.coin_value_cents, ways_of(load(name))
    special = ServiceRow(label="Round", value=state)
    if isinstance(scene, WaysScene) and scene.cascade:
        special = ServiceRow(label="Cascade", value=f"{scene.cascade} · × {scene.multiplier}")  # noqa: RUF001
    if jackpot_cents:
        special = ServiceRow(label="Jackpot won", cents=jackpot_cents, tone="good")
    lines = ServiceRow(label="Lines", count=stake.lines)
    coins = ServiceRow(label="Coins per line", count=stake.coins_per_line, cents=stake.coin_value_cents)
    if ways:
        lines = ServiceRow(label="Ways", count=ways)
        coins = ServiceRow(label="Coins", count=stake.coins, cents=stake.coin_value_cents)
    rows = (
        ServiceRow(label="Step", value=step, tone="heading"),
        ServiceRow(label="Stake", cents=staked),
        lines,
        coins,
        ServiceRow(label="Win so far", cents=won_cents),
        special,
        ServiceRow(label="Credit before", cents=12_350),
        ServiceRow(label="Credit after", cents=12_350 - staked + won_cents),
        ServiceRow(label="Note", value="before the round", cents=2_000),
        ServiceRow(label="Coin", value="before the round", cents=350),
        ServiceRow(label="Hopper", value="before the round", cents=-1_400),
    )
    return ServicePage(code=f"H.1.{NUMBER}", title="Round", who="attendant", rows=rows)


def recalled(
    name: str, *, at: int = -1, playing: bool = False, state: str = "settled", jackpot_cents: int = 0
) -> tuple[View, Step]:
    """Return the view of a step of the game's round, and that step."""
    steps, stake = played(name)
    at %= len(steps)
    step = steps[at]
    before_cents = steps[at - 1].win_cents if at else 0
    view = game_view(
        name,
        state="service_menu",
        service=_page(
            name,
            f"{at + 1} / {len(steps)}",
            stake,
            step.win_cents,
            step.final,
            jackpot_cents=jackpot_cents,
            state=state,
        ),
        replay=PastRound(
            number=NUMBER,
            game=name,
            when="2026-11-22 07:41:08",
            bet_cents=stake.coins * stake.coin_value_cents,
            win_cents=steps[-1].win_cents,
            state=state,
        ),
        controls=tuple(f"service:{key}" for key in KEYS),
        bet=Bet(lines=stake.lines, coins_per_line=stake.coins_per_line, coin_value_cents=stake.coin_value_cents),
        scene=raw(step.scene if playing else step.final),
        offer=msgspec.Raw(b"null") if playing or step.offer is None else raw(step.offer),
        win_cents=before_cents if playing else step.win_cents,
        message="recall_choice" if not playing and step.offer is not None else "",
    )
    return view, step


@_screen
def neptune(rehearsal: Rehearsal) -> None:
    """A chest has been opened; it stays open."""
    rehearsal.view(recalled("neptune", at=1)[0])


@_screen
def bewitched(rehearsal: Rehearsal) -> None:
    """The vials, as the player chose among them."""
    rehearsal.view(recalled("bewitched", at=1)[0])


@_screen
def witch_feature(rehearsal: Rehearsal) -> None:
    """A free spin."""
    rehearsal.view(recalled("witch_feature", at=4)[0])


@_screen
def mystery_elves(rehearsal: Rehearsal) -> None:
    """Hold and Win."""
    rehearsal.view(recalled("mystery_elves", at=2)[0])


@_screen
def mona_lisa_jewels(rehearsal: Rehearsal) -> None:
    """The last step, with a jackpot."""
    rehearsal.view(recalled("mona_lisa_jewels", jackpot_cents=5_012_345)[0])


@_screen
def star_quarry(rehearsal: Rehearsal) -> None:
    """The second window of a chain, with its wins."""
    rehearsal.view(recalled("star_quarry", at=1)[0])


@_screen
def void(rehearsal: Rehearsal) -> None:
    """A round that was voided: its last step."""
    rehearsal.view(recalled("neptune", state="void")[0])


@_screen
def playing(rehearsal: Rehearsal) -> None:
    """A step plays on the reels, which are still spinning."""
    view, step = recalled("neptune", at=0, playing=True)
    rehearsal.view(view)
    steps = [msgspec.json.decode(each, type=load("neptune").step_type) for each in step.steps]
    rehearsal.show(steps, credit_cents=12_350, win_cents=step.win_cents)
    rehearsal.wait(0.9)


@_screen
def pressed(rehearsal: Rehearsal) -> None:
    """A finger on NEXT."""
    neptune(rehearsal)
    rehearsal.picture()
    while not rehearsal.scene_manager.frame_complete:  # a finger can't press what it does not see yet
        rehearsal.picture()
    box = dict(rehearsal.scene_manager._beneath().controls(rehearsal.director))["service:down"]
    assert rehearsal.scene_manager.touch(box[0] + 5, box[1] + 5, rehearsal.now) == "service:down"


@_screen
def rules(rehearsal: Rehearsal) -> None:
    """The paytable of the recalled round's game, at its bet."""
    view = recalled("neptune")[0]
    controls = ("service:up", "service:down", "service:back", "paytable_close")
    rehearsal.view(msgspec.structs.replace(view, focus="page:0", controls=controls))
