"""Whether the player is told what each kind of win pays: on the paytable, or in a rule that the theme names.

Rounds of the game's own play are held against it, and the parts of its maths: a kind of beat that pays, however seldom,
belongs to one of them.
"""

import random
from collections.abc import Iterator
from gettext import NullTranslations

from controller.domain import Money
from games import catalogue
from games.beats import LineWin, ScatterWin, WaysWin
from games.checking import Fault, steps_of
from games.maths import Maths, load_maths
from games.play import Beat, Stake
from games.simulate import seeded_draw
from ui import text
from ui.theme import Theme, load

ROUNDS = 600
"""So many rounds of the highest bet are played."""
ON_THE_PAYTABLE = (LineWin, WaysWin, ScatterWin)


def unexplained(name: str) -> list[Fault]:
    """Return a fault for each kind of win of the game called `name` of which the player is told nothing, or wrongly."""
    theme, maths = load(name), load_maths(name)
    folder = catalogue.folder_of(name) / "display"
    told = dict.fromkeys(str(fault) for fault in _of_amounts(theme, maths))
    found = [Fault(str(folder / "theme.py"), words) for words in told]
    text.speak(NullTranslations(), Money())  # headings are named in English
    rules = dict(theme.rules(theme.game.gamble_cap_cents))
    for kind in sorted(_paying(maths), key=lambda kind: kind.__name__):
        heading = theme.explains.get(kind, "")
        if not heading:
            words = (
                f"nothing says what {kind.__name__} pays; write a rule about it, and name its heading in THEME.explains"
            )
            found.append(Fault(str(folder / "rules.py"), words))
        elif not rules.get(heading):
            words = f"no rule is headed '{heading}', as THEME.explains names what {kind.__name__} pays; write it"
            found.append(Fault(str(folder / "rules.py"), words))
    return found


def _paying(maths: Maths) -> set[type[Beat]]:
    """Return the kinds of beats that pay and are not on the paytable: those of the maths, of double and gamble."""
    kinds = {kind for part in maths.parts for _, kind in part.pays}
    if maths.game.gamble_cap_cents:
        kinds |= {type(beat) for _, beat in _played(maths) if beat.cents > 0}
    return kinds - set(ON_THE_PAYTABLE)


def _of_amounts(theme: Theme, maths: Maths) -> Iterator[str]:
    """Yield what the paytable lacks, or says otherwise than rounds of the play have paid."""
    for stake, beat in _played(maths):
        if isinstance(beat, LineWin | WaysWin):
            pay = theme.line_pays(beat.symbol).get(beat.count, 0) * stake.coins_per_line * beat.multiplier
            ways = beat.ways if isinstance(beat, WaysWin) else 1
            # Wilds may multiply ways beyond their number.
            right = pay and (beat.coins == pay * ways or (ways > 1 and beat.coins % pay == 0))
        elif isinstance(beat, ScatterWin):
            right = beat.symbol == theme.scatter and theme.scatter_pays().get(beat.count, 0) * stake.coins == beat.coins
        else:
            continue
        if not right:
            yield (
                f"{beat.count} x {beat.symbol} paid {beat.coins} coins at {stake.lines} x {stake.coins_per_line},"
                " and the paytable says otherwise; return from line_pays and scatter_pays what the play pays"
            )


def _played(maths: Maths) -> Iterator[tuple[Stake, Beat]]:
    """Yield the beats of rounds at the highest bet, whatever the player chooses."""
    source = random.Random(3)  # noqa: S311 - a check
    stake, draw = maths.stakes[-1], seeded_draw(source)
    for number in range(ROUNDS):
        memory = maths.memory(maths.states[number % len(maths.states)])
        for step in steps_of(maths.game, stake, memory, draw, source):
            if isinstance(step, Beat):
                yield stake, step
