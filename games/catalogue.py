"""The games this cabinet knows, by name; each is imported only when it is asked for."""

from importlib import import_module

from games.play import Game

NAMES = ("neptune", "bewitched", "witch_feature", "mystery_elves", "mona_lisa_jewels")


class UnknownGameError(LookupError):
    """No game has that name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no game {name!r}; the games are: {', '.join(NAMES)}")


def load(name: str) -> Game:
    """Return the game called `name` (`games/<name>/__init__.py` exports it as `GAME`)."""
    if name not in NAMES:
        raise UnknownGameError(name)
    game: Game = import_module(f"games.{name}").GAME
    return game
