"""The name of a game as an option or argument of a command: one of the games found when the command runs."""

import click
from click.shell_completion import CompletionItem

from gamekit import catalogue


class GameName(click.ParamType[str]):
    """A game's name; any other is refused, with the existing names and the reasons why other folders are no games."""

    name = "game"

    def __init__(self, *, to_write: bool = False) -> None:
        """Set `to_write` if the command writes into the game's folder, which must then not be a wheel's copy."""
        self._to_write = to_write

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """Return the names, in the format of a choice."""
        del param, ctx
        return f"[{'|'.join(catalogue.names())}]"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name of a game; end the command for any other."""
        if value not in catalogue.names():
            broken = "".join(f"\n{one.place}: {one.reason}" for one in catalogue.refused())
            self.fail(f"{value!r} is none of {', '.join(catalogue.names())}{broken}", param, ctx)
        if self._to_write:
            try:
                catalogue.source_of(value)
            except catalogue.InstalledGameError as error:
                self.fail(str(error), param, ctx)
        return value

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the names that begin with `incomplete`."""
        del ctx, param
        return [CompletionItem(name) for name in catalogue.names() if name.startswith(incomplete)]
